// Sends plays to scrobbling services. They are queued in the transaction that records them, and removed when the
// service has accepted them, so that none is lost while it cannot be reached. Those that were sent without an answer
// are looked up before they are sent again. Imported plays are not sent.
import { setTimeout as wait } from 'node:timers/promises';
import type { PlayId, UserId } from '../db/ids.ts';
import { messageOf } from '../errors.ts';
import { countsAsPlayed } from '../history/counts-as-played.ts';
import { titleKey } from '../history/song-names.ts';
import type { Handler } from '../jobs/tasks.ts';
import type { TrackSummary } from '../library/track-rows.ts';
import type { Log } from '../log/log.ts';
import type { ScrobbleAccounts } from './accounts.ts';
import type { createScrobbleQueries, QueuedPlay } from './queries.ts';
import {
  SCROBBLERS,
  type ListenOut,
  type Outcome,
  type ScrobbleAccount,
  type Scrobbler,
  type ScrobblerName,
} from './scrobblers.ts';
import type { SCROBBLE_TASK } from './tasks.ts';

interface PlaySendingDeps {
  log: Log;
  now: () => Date;
  queries: ReturnType<typeof createScrobbleQueries>;
  scrobblers: Record<ScrobblerName, Scrobbler>;
  accounts: Pick<ScrobbleAccounts, 'open' | 'stop'>;
}

type Queued = { id: PlayId; listen: ListenOut };
interface Run {
  of: { userId: UserId; service: ScrobblerName };
  account: ScrobbleAccount;
  scrobbler: Scrobbler;
  signal: AbortSignal;
  /** Fewer while the service fails or refuses, until it is known for which play. */
  atOnce: number;
  taken: number;
  failuresInRow: number;
  /** Those that the service failed to take although they were alone. */
  left: Map<PlayId, { play: Queued; reason: string }>;
}
/** Of single plays: then it is the service that fails. */
const MOST_FAILURES_IN_ROW = 10;
/** Of one play, before it is set aside. */
const MOST_FAILURES = 5;

export function createPlaySending({ log, now, queries, scrobblers, accounts }: PlaySendingDeps) {
  /** Undefined for a play that is not sent: withdrawn, without an artist, or too short. */
  function toListen(play: QueuedPlay, { longerThanMs }: Scrobbler): ListenOut | undefined {
    const { title, artistName, albumTitle, recordingMbid, durationMs, playedMs, playedAt, withdrawnAt, isSent } = play;
    if (withdrawnAt !== null || artistName === null) return undefined;
    if (durationMs !== null && durationMs > 0 && durationMs <= longerThanMs) return undefined;
    // without a duration, the client decided that it counts
    if (playedMs !== null && durationMs !== null && !countsAsPlayed(playedMs, durationMs)) return undefined;
    return { title, artistName, albumTitle, recordingMbid, durationMs, playedAt, mayBeThere: isSent === 1 };
  }

  /** The plays without those that the service has already. */
  async function notThere(plays: readonly Queued[], { of, account, scrobbler, signal }: Run): Promise<Queued[]> {
    const times = plays.flatMap(({ listen }) => (listen.mayBeThere ? [listen.playedAt] : []));
    if (times.length === 0 || !scrobbler.listensBetween) return [...plays];
    const known = await scrobbler.listensBetween(account, Math.min(...times), Math.max(...times), signal);
    if (!known) return [...plays];
    const songAt = Map.groupBy(known, ({ playedAt }) => playedAt);
    const isThere = ({ listen }: Queued): boolean => {
      const second = Math.floor(listen.playedAt / 1_000) * 1_000;
      const there = songAt.get(second) ?? [];
      return there.some(({ title }) => titleKey(title) === titleKey(listen.title));
    };
    const found = plays.filter((play) => play.listen.mayBeThere && isThere(play));
    queries.submitted(
      of,
      found.map(({ id }) => id),
      now(),
    );
    return plays.filter((play) => !found.includes(play));
  }

  function refuse({ of, scrobbler }: Run, { id, listen }: Queued, reason: string): void {
    queries.refuse(of, id, reason);
    queries.updateAccount(of, { problem: `${scrobbler.title} refused “${listen.title}” (${reason}).` });
  }

  /** Sends plays. Returns how many ms to wait before the next request; undefined when there should be none. */
  async function send(plays: readonly Queued[], run: Run): Promise<number | undefined> {
    const { of, account, scrobbler, signal } = run;
    const { title } = scrobbler;
    const ids = plays.map(({ id }) => id);
    const [first] = plays;
    queries.setSent(of, ids, true);
    const outcome = await scrobbler
      .submit(
        account,
        plays.map(({ listen }) => listen),
        signal,
      )
      .catch((error: unknown): Outcome => {
        signal.throwIfAborted();
        return { kind: 'down', reason: messageOf(error) };
      });
    if (outcome.kind === 'down') {
      // the plays may have arrived, so they stay marked
      if (plays.length === 1 && first) {
        run.left.set(first.id, { play: first, reason: outcome.reason });
        if (++run.failuresInRow === MOST_FAILURES_IN_ROW) return undefined;
      }
      run.atOnce = Math.ceil(plays.length / 2);
      return 0;
    }
    run.failuresInRow = 0;
    if (outcome.kind === 'ok') {
      const taken = ids.filter((_, index) => !outcome.refused?.has(index) && !outcome.later?.has(index));
      queries.submitted(of, taken, now());
      run.taken += taken.length;
      run.atOnce = Math.min(scrobbler.atOnce, run.atOnce * 2);
      for (const [index, reason] of outcome.refused ?? []) refuse(run, plays[index] as Queued, reason);
      const later = ids.filter((_, index) => outcome.later?.has(index));
      if (later.length > 0) {
        queries.setSent(of, later, false);
        throw new Error('it takes no more plays today');
      }
      return outcome.waitMs;
    }
    queries.setSent(of, ids, false);
    if (outcome.kind === 'bad_token') {
      accounts.stop(
        of.userId,
        of.service,
        `${title} no longer accepts the ${scrobbler.startSignIn ? 'sign-in' : 'token'} (${outcome.reason}). ` +
          `${scrobbler.startSignIn ? 'Sign in again' : 'Enter a new one'}; until then, plays stay queued.`,
      );
      return undefined;
    }
    if (outcome.kind === 'busy') return outcome.waitMs;
    if (plays.length === 1 && first) refuse(run, first, outcome.reason);
    run.atOnce = Math.ceil(plays.length / 2);
    return 0;
  }

  /** Sends one batch. Returns how many ms to wait before the next; undefined when there is none. */
  async function sendBatch(run: Run): Promise<number | undefined> {
    const { of, scrobbler } = run;
    const queued = queries.next(of, run.atOnce, run.left.keys());
    if (queued.length === 0) return undefined;
    const plays = queued.flatMap((play) => {
      const listen = toListen(play, scrobbler);
      return listen ? [{ id: play.id, listen }] : [];
    });
    const wanted = new Set(plays.map(({ id }) => id));
    queries.drop(
      of,
      queued.map(({ id }) => id).filter((id) => !wanted.has(id)),
    );
    const missing = await notThere(plays, run);
    return missing.length === 0 ? 0 : send(missing, run);
  }

  /** Sets aside the plays that failed again and again while others were taken. */
  function setAside(run: Run): void {
    if (run.taken === 0 && run.left.size === 1) return; // it keeps its place
    for (const [id, { play, reason }] of run.left)
      if (queries.fail(run.of, id, run.taken > 0) >= MOST_FAILURES) {
        refuse(run, play, reason);
        run.left.delete(id);
      }
  }

  return {
    /** Reports what is playing now, to all services of the user. Errors are only logged. */
    async tryPlayingNow(
      userId: UserId,
      { title, artistName, albumTitle, recordingMbid, durationMs }: TrackSummary,
    ): Promise<void> {
      if (artistName === null) return;
      const song = { title, artistName, albumTitle, recordingMbid, durationMs };
      await Promise.all(
        SCROBBLERS.map(async (service) => {
          const { playingNow } = scrobblers[service];
          const account = playingNow && accounts.open(userId, service);
          if (!account) return;
          try {
            await playingNow(account, song);
          } catch (error) {
            log.debug({ user_id: userId, service, err: error }, 'now playing not sent');
          }
        }),
      );
    },

    /** Handler of `scrobble_task`. */
    task: (async ({ userId, service }, { signal }) => {
      const of = { userId: userId as UserId, service };
      const scrobbler = scrobblers[service];
      const before = queries.findAccount(of)?.submitted ?? 0;
      const account = accounts.open(of.userId, service);
      if (!account) return null;
      const { atOnce } = scrobbler;
      const run: Run = { of, account, scrobbler, signal, atOnce, taken: 0, failuresInRow: 0, left: new Map() };
      try {
        try {
          for (let waitMs: number | undefined = 0; waitMs !== undefined; waitMs = await sendBatch(run))
            if (waitMs > 0) await wait(waitMs, undefined, { signal });
        } finally {
          setAside(run);
        }
        const [failed] = run.left.values();
        if (failed) throw new Error(`${failed.reason}, for “${failed.play.listen.title}”`);
      } catch (error) {
        if (signal.aborted) throw error;
        // without a number: more plays may be queued until the next attempt
        queries.updateAccount(of, {
          problem:
            `${scrobbler.title} ${run.taken > 0 ? 'did not take all plays' : 'cannot be reached'} ` +
            `(${messageOf(error)}). Plays stay queued and will be sent later.`,
        });
        throw error;
      }
      return { submitted: (queries.findAccount(of)?.submitted ?? before) - before };
    }) satisfies Handler<typeof SCROBBLE_TASK>,
  };
}
