// Sends plays to scrobbling services. Plays are queued in the transaction that records them, and removed when the
// service has accepted them, so that no play is lost while the service cannot be reached. Plays that were sent without
// an answer are looked up before they are sent again. Imported plays are not sent.
import { setTimeout as wait } from 'node:timers/promises';
import type { PlayId, UserId } from '../db/ids.ts';
import { messageOf } from '../errors.ts';
import { countsAsPlayed } from '../history/counts-as-played.ts';
import { titleKey } from '../history/song-names.ts';
import type { Handler } from '../jobs/tasks.ts';
import type { TrackSummary } from '../library/lists/track-rows.ts';
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
import { bindContext } from '../runtime/bind-context.ts';

interface PlaySendingDeps {
  log: Log;
  now: () => Date;
  queries: ReturnType<typeof createScrobbleQueries>;
  scrobblers: Record<ScrobblerName, Scrobbler>;
  accounts: Pick<ScrobbleAccounts, 'open' | 'stop'>;
}

type QueuedListen = { id: PlayId; listen: ListenOut };
interface SendingRun {
  accountKey: { userId: UserId; service: ScrobblerName };
  account: ScrobbleAccount;
  scrobbler: Scrobbler;
  signal: AbortSignal;
  /** The number of plays per request: fewer while the service fails or refuses, until the refused play is found. */
  atOnce: number;
  acceptedCount: number;
  failuresInRow: number;
  /** Plays that the service failed to accept although they were sent alone. */
  failedPlays: Map<PlayId, { play: QueuedListen; reason: string }>;
}
/** After this many failures of single plays in a row, the service itself counts as failing. */
const MAX_CONSECUTIVE_FAILURES = 10;
/** Number of failures after which a play is set aside. */
const MAX_FAILURES_PER_PLAY = 5;

export function createPlaySending(deps: PlaySendingDeps) {
  const context = createContext(deps);

  return {
    ...bindContext(context, { tryPlayingNow }),
    /** Handles `scrobble_task`. */
    task: (async ({ userId, service }, { signal }) => {
      const accountKey = { userId: userId as UserId, service };
      const scrobbler = context.scrobblers[service];
      const submittedBefore = context.queries.findAccount(accountKey)?.submitted ?? 0;
      const account = context.accounts.open(accountKey.userId, service);
      if (!account) return null;
      const { atOnce } = scrobbler;
      const run: SendingRun = {
        accountKey,
        account,
        scrobbler,
        signal,
        atOnce,
        acceptedCount: 0,
        failuresInRow: 0,
        failedPlays: new Map(),
      };
      try {
        try {
          for (let waitMs: number | undefined = 0; waitMs !== undefined; waitMs = await sendBatch(context, run))
            if (waitMs > 0) await wait(waitMs, undefined, { signal });
        } finally {
          setAside(context, run);
        }
        const [failedPlay] = run.failedPlays.values();
        if (failedPlay) throw new Error(`${failedPlay.reason}, for “${failedPlay.play.listen.title}”`);
      } catch (error) {
        if (signal.aborted) throw error;
        // the message has no number, because more plays may be queued until the next attempt
        context.queries.updateAccount(accountKey, {
          problem:
            `${scrobbler.title} ${run.acceptedCount > 0 ? 'did not take all plays' : 'cannot be reached'} ` +
            `(${messageOf(error)}). Plays stay queued and will be sent later.`,
        });
        throw error;
      }
      return { submitted: (context.queries.findAccount(accountKey)?.submitted ?? submittedBefore) - submittedBefore };
    }) satisfies Handler<typeof SCROBBLE_TASK>,
  };
}

type Context = ReturnType<typeof createContext>;

function createContext({ log, now, queries, scrobblers, accounts }: PlaySendingDeps) {
  return { log, now, queries, scrobblers, accounts };
}

/** Converts a play; returns undefined for a play that is not sent: withdrawn, without an artist, or too short. */
function toListen(play: QueuedPlay, { longerThanMs }: Scrobbler): ListenOut | undefined {
  const { title, artistName, albumTitle, recordingMbid, durationMs, playedMs, playedAt, withdrawnAt, isSent } = play;
  if (withdrawnAt !== null || artistName === null) return undefined;
  if (durationMs !== null && durationMs > 0 && durationMs <= longerThanMs) return undefined;
  // for a play without a duration, the client has decided that it counts
  if (playedMs !== null && durationMs !== null && !countsAsPlayed(playedMs, durationMs)) return undefined;
  return { title, artistName, albumTitle, recordingMbid, durationMs, playedAt, mayBeThere: isSent === 1 };
}

/** Returns the plays that the service does not have yet. */
async function withoutKnownListens(
  context: Context,
  plays: readonly QueuedListen[],
  { accountKey, account, scrobbler, signal }: SendingRun,
): Promise<QueuedListen[]> {
  const times = plays.flatMap(({ listen }) => (listen.mayBeThere ? [listen.playedAt] : []));
  if (times.length === 0 || !scrobbler.listensBetween) return [...plays];
  const knownListens = await scrobbler.listensBetween(account, Math.min(...times), Math.max(...times), signal);
  if (!knownListens) return [...plays];
  const songAt = Map.groupBy(knownListens, ({ playedAt }) => playedAt);
  const isKnownListen = ({ listen }: QueuedListen): boolean => {
    const wholeSecondMs = Math.floor(listen.playedAt / 1_000) * 1_000;
    const listensAtTime = songAt.get(wholeSecondMs) ?? [];
    return listensAtTime.some(({ title }) => titleKey(title) === titleKey(listen.title));
  };
  const alreadyListed = plays.filter((play) => play.listen.mayBeThere && isKnownListen(play));
  context.queries.submitted(
    accountKey,
    alreadyListed.map(({ id }) => id),
    context.now(),
  );
  return plays.filter((play) => !alreadyListed.includes(play));
}

function recordRefusal(
  context: Context,
  { accountKey, scrobbler }: SendingRun,
  { id, listen }: QueuedListen,
  reason: string,
): void {
  context.queries.refuse(accountKey, id, reason);
  context.queries.updateAccount(accountKey, { problem: `${scrobbler.title} refused “${listen.title}” (${reason}).` });
}

/** Sends plays. Returns how many ms to wait before the next request; undefined to stop sending. */
async function send(context: Context, plays: readonly QueuedListen[], run: SendingRun): Promise<number | undefined> {
  const { accountKey, account, scrobbler, signal } = run;
  const { title } = scrobbler;
  const ids = plays.map(({ id }) => id);
  const [firstPlay] = plays;
  context.queries.setSent(accountKey, ids, true);
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
    // the plays may have arrived, so they stay marked as sent
    if (plays.length === 1 && firstPlay) {
      run.failedPlays.set(firstPlay.id, { play: firstPlay, reason: outcome.reason });
      if (++run.failuresInRow === MAX_CONSECUTIVE_FAILURES) return undefined;
    }
    run.atOnce = Math.ceil(plays.length / 2);
    return 0;
  }
  run.failuresInRow = 0;
  if (outcome.kind === 'ok') {
    const acceptedIds = ids.filter(
      (_, index) => !outcome.refusedReasons?.has(index) && !outcome.laterIndexes?.has(index),
    );
    context.queries.submitted(accountKey, acceptedIds, context.now());
    run.acceptedCount += acceptedIds.length;
    run.atOnce = Math.min(scrobbler.atOnce, run.atOnce * 2);
    for (const [index, reason] of outcome.refusedReasons ?? [])
      recordRefusal(context, run, plays[index] as QueuedListen, reason);
    const postponedIds = ids.filter((_, index) => outcome.laterIndexes?.has(index));
    if (postponedIds.length > 0) {
      context.queries.setSent(accountKey, postponedIds, false);
      throw new Error('it accepts no more plays today');
    }
    return outcome.waitMs;
  }
  context.queries.setSent(accountKey, ids, false);
  if (outcome.kind === 'bad_token') {
    context.accounts.stop(
      accountKey.userId,
      accountKey.service,
      `${title} no longer accepts the ${scrobbler.startSignIn ? 'sign-in' : 'token'} (${outcome.reason}). ` +
        `${scrobbler.startSignIn ? 'Sign in again' : 'Enter a new one'}; until then, plays stay queued.`,
    );
    return undefined;
  }
  if (outcome.kind === 'busy') return outcome.waitMs;
  if (plays.length === 1 && firstPlay) recordRefusal(context, run, firstPlay, outcome.reason);
  run.atOnce = Math.ceil(plays.length / 2);
  return 0;
}

/** Sends one batch. Returns how many ms to wait before the next batch; undefined when there is none. */
async function sendBatch(context: Context, run: SendingRun): Promise<number | undefined> {
  const { accountKey, scrobbler } = run;
  const queuedPlays = context.queries.next(accountKey, run.atOnce, run.failedPlays.keys());
  if (queuedPlays.length === 0) return undefined;
  const plays = queuedPlays.flatMap((play) => {
    const listen = toListen(play, scrobbler);
    return listen ? [{ id: play.id, listen }] : [];
  });
  const playIds = new Set(plays.map(({ id }) => id));
  context.queries.drop(
    accountKey,
    queuedPlays.map(({ id }) => id).filter((id) => !playIds.has(id)),
  );
  const missingPlays = await withoutKnownListens(context, plays, run);
  return missingPlays.length === 0 ? 0 : send(context, missingPlays, run);
}

/** Sets aside the plays that failed repeatedly while others were accepted. */
function setAside(context: Context, run: SendingRun): void {
  // a single failing play keeps its place while nothing is accepted
  if (run.acceptedCount === 0 && run.failedPlays.size === 1) return;
  for (const [id, { play, reason }] of run.failedPlays)
    if (context.queries.fail(run.accountKey, id, run.acceptedCount > 0) >= MAX_FAILURES_PER_PLAY) {
      recordRefusal(context, run, play, reason);
      run.failedPlays.delete(id);
    }
}

/** Reports what is playing now, to all services of the user. Errors are only logged. */
async function tryPlayingNow(
  { scrobblers, accounts, log }: Context,
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
}
