// Sends plays to ListenBrainz. They are queued in the transaction that records them, and removed when the service has
// accepted them, so that none is lost while it cannot be reached. Imported plays are not sent.
import { setTimeout as wait } from 'node:timers/promises';
import type { LiveSettings } from '../config/live-settings.ts';
import type { Sealer } from '../config/sealed-text.ts';
import type { MainDb } from '../db/client.ts';
import type { PlayId, UserId } from '../db/ids.ts';
import { AppError, invalid, messageOf } from '../errors.ts';
import type { Jobs } from '../jobs/service.ts';
import type { Handler } from '../jobs/tasks.ts';
import type { TrackSummary } from '../library/track-rows.ts';
import type { Log } from '../log/log.ts';
import { createTokenBucket } from '../outbound/token-bucket.ts';
import { userAgentOf } from '../outbound/user-agent.ts';
import { createListenBrainz, LISTENS_AT_ONCE, type ListenOut } from './listenbrainz.ts';
import { countsAsPlayed } from './counts-as-played.ts';
import { createScrobbleQueries, type QueuedPlay } from './scrobble-queries.ts';
import { SCROBBLE_TASK } from './tasks.ts';

export interface ScrobblingStatus {
  isConnected: boolean;
  isEnabled: boolean;
  username: string | null;
  queued: number;
  refused: number;
  submitted: number;
  lastSubmittedAt: Date | null;
  problem: string | null;
  isStopped: boolean;
}

export interface ScrobblingDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  settings: LiveSettings;
  sealer: Sealer;
  jobs: Pick<Jobs, 'tryEnqueue' | 'cancel'>;
  version: string;
  /** Requests to the service, which allows one. */
  perSecond?: number;
}

const SERVICE = 'ListenBrainz';

export type Scrobbling = ReturnType<typeof createScrobbling>;

export function createScrobbling({ db, log, now, settings, sealer, jobs, version, perSecond = 1 }: ScrobblingDeps) {
  const queries = createScrobbleQueries({ db });
  const service = createListenBrainz({
    baseUrl: () => settings.get('LISTENBRAINZ_BASE_URL'),
    version,
    userAgent: () => userAgentOf(version, settings.get('CONTACT')),
    bucket: createTokenBucket({ perSecond }),
  });
  const isEnabled = (): boolean => settings.get('LISTENBRAINZ_ENABLED');

  function tokenOf(userId: UserId): string | undefined {
    const account = queries.findAccount(userId);
    if (!account || account.isStopped) return undefined;
    const token = sealer.open(userId, { sealed: account.token, salt: account.tokenSalt });
    if (token === undefined) stop(userId, 'The stored token can no longer be decrypted. Enter it again.');
    return token;
  }

  const stop = (userId: UserId, problem: string): void => queries.updateAccount(userId, { problem, isStopped: true });

  function status(userId: UserId): ScrobblingStatus {
    const account = queries.findAccount(userId);
    return {
      isConnected: account !== undefined,
      isEnabled: isEnabled(),
      username: account?.username ?? null,
      ...queries.counts(userId),
      submitted: account?.submitted ?? 0,
      lastSubmittedAt: account?.lastSubmittedAt ?? null,
      problem: account?.problem ?? null,
      isStopped: account?.isStopped ?? false,
    };
  }

  /** Undefined for a play that is not sent: withdrawn, without an artist, or too short. */
  function toListen({
    title,
    artistName,
    albumTitle,
    recordingMbid,
    durationMs,
    playedMs,
    playedAt,
    withdrawnAt,
  }: QueuedPlay): ListenOut | undefined {
    if (withdrawnAt !== null || artistName === null) return undefined;
    // without a duration, the client decided that it counts
    if (playedMs !== null && durationMs !== null && !countsAsPlayed(playedMs, durationMs)) return undefined;
    return { title, artistName, albumTitle, recordingMbid, durationMs, playedAt };
  }

  /**
   * Sends plays, in halves when one of them is refused. Returns how many ms to wait before the next request; undefined
   * when the token is not accepted.
   */
  async function sendAll(
    userId: UserId,
    token: string,
    plays: readonly { id: PlayId; listen: ListenOut }[],
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const outcome = await service.submit(
      token,
      plays.map(({ listen }) => listen),
      signal,
    );
    if (outcome.kind === 'ok') {
      queries.submitted(
        userId,
        plays.map(({ id }) => id),
        now(),
      );
      return outcome.waitMs;
    }
    if (outcome.kind === 'bad_token') {
      stop(
        userId,
        `${SERVICE} no longer accepts the token (${outcome.reason}). Enter a new one; until then, plays stay queued.`,
      );
      return undefined;
    }
    if (outcome.kind === 'busy') return outcome.waitMs; // the plays are still queued
    if (outcome.kind === 'down') throw new Error(outcome.reason);
    const [only, ...others] = plays;
    if (only && others.length === 0) {
      queries.refuse(only.id, outcome.reason);
      queries.updateAccount(userId, { problem: `${SERVICE} refused “${only.listen.title}” (${outcome.reason}).` });
      return 0;
    }
    const middle = plays.length >> 1;
    const first = await sendAll(userId, token, plays.slice(0, middle), signal);
    return first === undefined ? undefined : sendAll(userId, token, plays.slice(middle), signal);
  }

  /** Sends one batch. Returns how many ms to wait before the next; undefined when there is none. */
  async function sendBatch(userId: UserId, token: string, signal: AbortSignal): Promise<number | undefined> {
    const queued = queries.next(userId, LISTENS_AT_ONCE);
    if (queued.length === 0) return undefined;
    const plays = queued.flatMap((play) => {
      const listen = toListen(play);
      return listen ? [{ id: play.id, listen }] : [];
    });
    const wanted = new Set(plays.map(({ id }) => id));
    queries.drop(queued.map(({ id }) => id).filter((id) => !wanted.has(id)));
    return plays.length === 0 ? 0 : sendAll(userId, token, plays, signal);
  }

  async function wake(userId: UserId): Promise<void> {
    const job = await jobs.tryEnqueue(SCROBBLE_TASK, { userId });
    if (!job || job.created || job.status !== 'waiting') return;
    jobs.cancel(job.id); // it waits for its next attempt
    await jobs.tryEnqueue(SCROBBLE_TASK, { userId });
  }

  return {
    status,

    /** Throws `invalid` when the service does not know the token, `unavailable` when it cannot be asked. */
    async connect(userId: UserId, token: string): Promise<ScrobblingStatus> {
      if (!isEnabled()) throw new AppError('conflict', 'Scrobbling is off on this server (LISTENBRAINZ_ENABLED).');
      let username: string | undefined;
      try {
        username = await service.accountOf(token);
      } catch (cause) {
        throw new AppError(
          'unavailable',
          `${SERVICE} cannot check the token right now (${messageOf(cause)}). Try again later.`,
          { cause },
        );
      }
      if (username === undefined) throw invalid([{ field: 'token', message: `is not known to ${SERVICE}` }]);
      const { sealed, salt } = sealer.seal(userId, token);
      queries.setAccount({ userId, token: sealed, tokenSalt: salt, username, createdAt: now() });
      await wake(userId);
      return status(userId);
    },

    /** Deletes the token and the queue. */
    disconnect: (userId: UserId): void => queries.removeAccount(userId),

    /** To be called in the transaction that records the plays. */
    queue: (userId: UserId, ids: readonly PlayId[]): void => queries.queue(userId, ids),

    /** To be called after it. */
    send(userId: UserId): void {
      if (isEnabled() && queries.findAccount(userId)?.isStopped === false)
        void jobs.tryEnqueue(SCROBBLE_TASK, { userId });
    },

    /** Reports what is playing now. Errors are only logged. */
    async tryPlayingNow(
      userId: UserId,
      { title, artistName, albumTitle, recordingMbid, durationMs }: TrackSummary,
    ): Promise<void> {
      const token = isEnabled() ? tokenOf(userId) : undefined;
      if (token === undefined || artistName === null) return;
      try {
        await service.playingNow(token, { title, artistName, albumTitle, recordingMbid, durationMs });
      } catch (error) {
        log.debug({ user_id: userId, err: error }, 'now playing not sent');
      }
    },

    /** At the start: continues with plays that are still queued. */
    resume(): void {
      for (const userId of isEnabled() ? queries.waitingUsers() : []) void jobs.tryEnqueue(SCROBBLE_TASK, { userId });
    },

    /** Handler of `scrobble_task`. */
    task: (async (payload, { signal }) => {
      const userId = payload.userId as UserId;
      const before = queries.findAccount(userId)?.submitted ?? 0;
      const token = isEnabled() ? tokenOf(userId) : undefined;
      if (token === undefined) return null;
      try {
        for (
          let waitMs: number | undefined = 0;
          waitMs !== undefined;
          waitMs = await sendBatch(userId, token, signal)
        ) {
          if (waitMs > 0) await wait(waitMs, undefined, { signal });
        }
      } catch (error) {
        if (signal.aborted) throw error;
        // without a number: more plays may be queued until the next attempt
        queries.updateAccount(userId, {
          problem: `${SERVICE} cannot be reached (${messageOf(error)}). Plays stay queued and will be sent later.`,
        });
        throw error;
      }
      return { submitted: (queries.findAccount(userId)?.submitted ?? before) - before };
    }) satisfies Handler<typeof SCROBBLE_TASK>,
  };
}
