// The accounts of users at scrobbling services: signing in, the state of each account, and its secret token.
import type { Sealer } from '../config/sealed-text.ts';
import type { UserId } from '../db/ids.ts';
import { AppError, conflict, invalid, messageOf } from '../errors.ts';
import type { createScrobbleQueries, Refusal, ScrobbleAccountRow } from './queries.ts';
import { SCROBBLERS, type ScrobbleAccount, type Scrobbler, type ScrobblerName } from './scrobblers.ts';

export interface ScrobblingStatus {
  service: ScrobblerName;
  title: string;
  signIn: Scrobbler['signIn'];
  isConnected: boolean;
  isEnabled: boolean;
  username: string | null;
  canSyncLoves: boolean;
  syncLoves: boolean;
  lovesSyncedAt: Date | null;
  queued: number;
  refused: number;
  refusals: Refusal[];
  submitted: number;
  lastSubmittedAt: Date | null;
  problem: string | null;
  isStopped: boolean;
}

interface SignIn {
  token: string;
  url?: string | undefined;
  syncLoves?: boolean | undefined;
}

interface ScrobbleAccountDeps {
  queries: ReturnType<typeof createScrobbleQueries>;
  scrobblers: Record<ScrobblerName, Scrobbler>;
  sealer: Sealer;
  now: () => Date;
  isSuperuser: (userId: UserId) => boolean;
  onConnected: (userId: UserId, service: ScrobblerName) => Promise<void>;
}

export type ScrobbleAccounts = ReturnType<typeof createScrobbleAccounts>;

export function createScrobbleAccounts({
  queries,
  scrobblers,
  sealer,
  now,
  isSuperuser,
  onConnected,
}: ScrobbleAccountDeps) {
  const stop = (userId: UserId, service: ScrobblerName, problem: string): void =>
    queries.updateAccount({ userId, service }, { problem, isStopped: true });

  function toStatus(userId: UserId, service: ScrobblerName, account: ScrobbleAccountRow | undefined): ScrobblingStatus {
    const { title, signIn, isEnabled, setLoved } = scrobblers[service];
    return {
      service,
      title,
      signIn,
      isConnected: account !== undefined,
      isEnabled: isEnabled(),
      username: account?.username ?? null,
      canSyncLoves: setLoved !== undefined,
      syncLoves: account?.syncLoves ?? false,
      lovesSyncedAt: account?.lovesSyncedAt ?? null,
      ...queries.counts({ userId, service }),
      refusals: queries.refusals({ userId, service }),
      submitted: account?.submitted ?? 0,
      lastSubmittedAt: account?.lastSubmittedAt ?? null,
      problem: account?.problem ?? null,
      isStopped: account?.isStopped ?? false,
    };
  }

  const status = (userId: UserId, service: ScrobblerName): ScrobblingStatus =>
    toStatus(userId, service, queries.findAccount({ userId, service }));

  function requireEnabled(service: ScrobblerName): Scrobbler {
    const scrobbler = scrobblers[service];
    if (!scrobbler.isEnabled()) throw conflict(`Scrobbling to ${scrobbler.title} is off on this server.`);
    return scrobbler;
  }

  const unavailable = (title: string, cause: unknown): AppError =>
    new AppError('unavailable', `${title} cannot be reached right now (${messageOf(cause)}). Try again later.`, {
      cause,
    });

  /**
   * Decrypts the token of an account; undefined if it was encrypted with another key of the server, or for another
   * service or address.
   */
  function openToken({ userId, service, url, token: sealed, tokenSalt: salt }: ScrobbleAccountRow): string | undefined {
    const token = sealer.open(userId, { sealed, salt }, purposeOf(service, url));
    if (token !== undefined) return token;
    // tokens of earlier versions are not bound to their service and address
    const unboundToken = sealer.open(userId, { sealed, salt });
    if (unboundToken !== undefined) {
      const { sealed: token, salt: tokenSalt } = sealer.seal(userId, unboundToken, purposeOf(service, url));
      queries.updateAccount({ userId, service: service as ScrobblerName }, { token, tokenSalt });
    }
    return unboundToken;
  }

  return {
    status,
    stop,
    statuses: (userId: UserId): ScrobblingStatus[] => SCROBBLERS.map((service) => status(userId, service)),

    /** Returns the account with its token; undefined while it may not be used. */
    open(userId: UserId, service: ScrobblerName): ScrobbleAccount | undefined {
      const account = scrobblers[service].isEnabled() ? queries.findAccount({ userId, service }) : undefined;
      if (!account || account.isStopped) return undefined;
      const token = openToken(account);
      if (token === undefined) {
        stop(userId, service, 'The stored key can no longer be decrypted. Sign in again.');
        return undefined;
      }
      return { token, username: account.username, url: account.url, mayBePrivate: isSuperuser(userId) };
    },

    /** Begins the sign-in on the service's page. Throws `conflict`, `unavailable`. */
    async startSignIn(service: ScrobblerName): Promise<{ token: string; url: string }> {
      const { title, startSignIn } = requireEnabled(service);
      if (!startSignIn) throw conflict(`${title} has no page to sign in on; enter its token.`);
      return startSignIn().catch((cause: unknown) => {
        throw unavailable(title, cause);
      });
    },

    /**
     * Connects an account. Throws `invalid` when the service does not accept the token, `unavailable` when the service
     * cannot be asked.
     */
    async connect(
      userId: UserId,
      service: ScrobblerName,
      { token, url, syncLoves = false }: SignIn,
    ): Promise<ScrobblingStatus> {
      const scrobbler = requireEnabled(service);
      const { title } = scrobbler;
      const isOwnServer = scrobbler.signIn === 'own_server';
      if (isOwnServer && url === undefined) throw invalid([{ field: 'url', message: `is needed for ${title}` }]);
      const account = { token, url: isOwnServer ? (url ?? null) : null, mayBePrivate: isSuperuser(userId) };
      let acceptedAccount: { token: string; username: string } | undefined;
      try {
        acceptedAccount = await scrobbler.finishSignIn(account);
      } catch (cause) {
        throw unavailable(title, cause);
      }
      if (!acceptedAccount)
        throw invalid([
          {
            field: 'token',
            message: scrobbler.startSignIn ? `is not allowed on the page of ${title} yet` : `is not known to ${title}`,
          },
        ]);
      const { sealed, salt } = sealer.seal(userId, acceptedAccount.token, purposeOf(service, account.url));
      queries.setAccount({
        userId,
        service,
        token: sealed,
        tokenSalt: salt,
        username: acceptedAccount.username,
        url: account.url,
        syncLoves: syncLoves && scrobbler.setLoved !== undefined,
        createdAt: now(),
      });
      await onConnected(userId, service);
      return status(userId, service);
    },

    /** Encrypts tokens of earlier versions again, bound to their service and address. */
    sealAnew(): void {
      for (const account of queries.accounts()) openToken(account);
    },

    /** Deletes the account's token and queue. */
    disconnect: (userId: UserId, service: ScrobblerName): void => queries.removeAccount({ userId, service }),
  };
}

/** Returns the purpose of a token's encryption: a token for one service and address cannot be used for another. */
const purposeOf = (service: string, url: string | null): string => JSON.stringify([service, url]);
