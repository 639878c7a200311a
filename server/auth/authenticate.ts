// Authenticates API requests by the `Authorization: Bearer` header, or by the `token` parameter where a client cannot
// send headers.
import type { Request } from 'express';
import type { MainDb } from '../db/client.ts';
import { dataVersionOf } from '../db/data-version.ts';
import { rightsFrom } from '../db/rights.ts';
import type { Authenticate, TokenSource } from '../http/mount.ts';
import type { Principal } from '../http/route.ts';
import type { Log } from '../log/log.ts';
import { prepareFindPrincipal, prepareNoteUse, prepareTouch, type Caller, type PrincipalRow } from './queries.ts';
import { isOwnMachine } from '../http/own-machine.ts';
import { downloadScope, type TokenClaims, type Tokens } from './tokens.ts';

const BEARER_HEADER = /^Bearer +([\w.~+/-]+=*) *$/i;
/** Matched without decoding: `%74oken=` would pass otherwise, and the log would not redact it. */
const TOKEN_PARAMETER = /[?&]token=([^&#]*)/g;
const LAST_SEEN_INTERVAL_MS = 60_000;

interface AuthenticateDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  tokens: Tokens;
}

export function createAuthenticate({ db, log, now, tokens }: AuthenticateDeps): Authenticate {
  const findPrincipal = prepareFindPrincipal(db);
  const tryTouch = createTryTouch({ db, log, now, table: 'sessions' });

  return (req, source) => {
    const token = readToken(req, source.query);
    const claims = token === undefined ? undefined : tokens.verify(token);
    if (!claims || !isInScope(claims, req, source)) return undefined;
    const user = findPrincipal(claims.sessionId, claims.userId, now());
    // Either the user or session is gone or expired, or the password was changed.
    if (!user || user.tokenVersion !== claims.version) return undefined;
    const caller = callerOf(req);
    tryTouch(user, { id: user.sessionId, lastUsedAt: user.lastUsedAt }, caller);
    return { ...toPrincipal(user, caller), sessionId: user.sessionId };
  };
}

/** Checks that a token for URLs is used only within its scope. */
function isInScope(
  { scope }: TokenClaims,
  req: Request,
  { query, scope: requiredScope = 'media' }: TokenSource,
): boolean {
  if (scope === undefined) return true;
  return query && scope === (requiredScope === 'download' ? downloadScope(req.url) : requiredScope);
}

/**
 * Returns the token of a request. A bearer header counts before the parameter, and an empty parameter does not count. A
 * request with two tokens of one kind, even equal ones, counts as having none. Other schemes (a proxy's Basic) are
 * ignored.
 */
function readToken(req: Request, acceptsQuery: boolean): string | undefined {
  const headers = (req.headersDistinct['authorization'] ?? []).filter((header) => /^Bearer\b/i.test(header));
  const parameters = acceptsQuery
    ? [...req.originalUrl.matchAll(TOKEN_PARAMETER)].flatMap(([, value]) => value || [])
    : [];
  const tokens = headers.length > 0 ? headers.map((header) => BEARER_HEADER.exec(header)?.[1]) : parameters;
  return tokens.length === 1 ? tokens[0] : undefined;
}

export const callerOf = (req: Request): Caller => ({
  from: req.ip,
  client: req.headers['user-agent'],
  isFromOwnMachine: isOwnMachine(req),
});

interface Credential {
  id: number;
  lastUsedAt: number | null;
}

/**
 * Returns a function that stores when the user was seen, and when and from where the session or app password was used,
 * each at most once a minute. It never throws: a full disk or a busy database must not fail a request.
 */
export function createTryTouch({
  db,
  log,
  now,
  table,
}: Pick<AuthenticateDeps, 'db' | 'log' | 'now'> & { table: 'sessions' | 'app_passwords' }) {
  const touch = prepareTouch(db);
  const noteUse = prepareNoteUse(db, table);
  const { hide } = dataVersionOf(db.$client);
  return (
    { id, lastSeenAt }: Pick<PrincipalRow, 'id' | 'lastSeenAt'>,
    credential: Credential,
    caller: Caller,
  ): void => {
    const time = now();
    const isDue = (lastMs: number | null): boolean =>
      lastMs === null || Math.abs(time.getTime() - lastMs) >= LAST_SEEN_INTERVAL_MS;
    try {
      if (isDue(lastSeenAt)) hide(() => touch(id, time));
      if (isDue(credential.lastUsedAt)) hide(() => noteUse(credential.id, time, caller));
    } catch (error) {
      log.warn({ err: error, user_id: id }, 'last use could not be saved');
    }
  };
}

export function toPrincipal(user: PrincipalRow, { isFromOwnMachine }: Pick<Caller, 'isFromOwnMachine'>): Principal {
  const isSuperuser = user.isSuperuser === 1;
  return {
    id: user.id,
    username: user.username,
    isSuperuser,
    rights: rightsFrom((right) => isSuperuser || user[right] === 1),
    maxBitrateKbps: user.maxBitrateKbps,
    ...(user.hasWeakPassword === 1 && !isFromOwnMachine && { needsBetterPassword: true as const }),
  };
}
