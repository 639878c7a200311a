// The history of plays. A play that is reported twice is recorded once. A withdrawn play keeps its row, so that another
// report of it does not bring it back.
import type { MainDb } from '../db/client.ts';
import type { PlayId, TrackId, UserId } from '../db/ids.ts';
import { invalid, notFound } from '../errors.ts';
import type { EventHub } from '../events/hub.ts';
import type { Log } from '../log/log.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { ReadAside } from '../library/lists/list-pages.ts';
import type { LibraryService } from '../library/service.ts';
import type { TrackSummary } from '../library/lists/track-rows.ts';
import { partsOf, waitForTurn } from '../runtime/time-slices.ts';
import { createHistoryQueries, type HistoryFilter, type NewPlay, type PlayRow, type SamePlay } from './queries.ts';
import { beganWithinMs, samePlayWithinMs } from './same-play.ts';
import { songKey } from './song-names.ts';
import { hasWrongClock, isAhead, MAX_CLOCK_AHEAD_MS } from './wrong-clock.ts';
import { historyEvent } from './events.ts';

/** A report of a play by a client. `playedAt` is when the play started, by default now. */
export interface PlayReport {
  trackId: TrackId;
  playedAt?: Date | undefined;
  playedMs?: number | undefined;
  client?: string | undefined;
  /** An id that the client chooses for each listening. */
  playId?: string | undefined;
  /** Whether the play was reported by the REST API. */
  isRest?: boolean | undefined;
}

/** `known`: the play was recorded before · `withdrawn`: the play was recorded and then withdrawn. */
type RecordStatus = 'recorded' | 'known' | 'withdrawn' | 'unknown_track';
export interface RecordResult {
  status: RecordStatus;
  id: PlayId | null;
}

/** A play with its current track, if the track exists. */
export interface PlaySummary extends Omit<PlayRow, 'playedAt'> {
  playedAt: Date;
  track: TrackSummary | null;
}

interface HistoryDeps {
  db: MainDb;
  now: () => Date;
  log: Pick<Log, 'warn'>;
  events: Pick<EventHub, 'publish'>;
  library: Pick<LibraryService, 'tracksById'>;
  readAside?: ReadAside;
  /** Called in the transaction that recorded the plays. */
  onRecorded?: (userId: UserId, ids: readonly PlayId[]) => void;
  /** Called after the transaction that recorded the plays. */
  afterRecorded?: (userId: UserId) => void;
}

/** Number of plays per transaction, which takes about 5 ms; requests are served in between. */
const PLAYS_PER_TRANSACTION = 50;

export type HistoryService = ReturnType<typeof createHistoryService>;

export function createHistoryService({
  db,
  now,
  log,
  events,
  library,
  readAside,
  onRecorded,
  afterRecorded,
}: HistoryDeps) {
  const queries = createHistoryQueries({ db, readAside });
  const usersWithWrongClock = new Set<UserId>();

  function recordOne(userId: UserId, report: PlayReport): RecordResult {
    const playedAt = (report.playedAt ?? now()).getTime();
    const song = queries.findSong(report.trackId);
    if (!song) return { status: 'unknown_track', id: null };
    const play = {
      ...song,
      playedAt,
      playedMs: report.playedMs ?? null,
      client: report.client ?? null,
      songKey: songKey(song.artistName, song.title),
      restTime: report.isRest !== true ? null : report.playedAt ? ('sent' as const) : ('server' as const),
      playId: report.playId ?? null,
    };
    if (hasWrongClock(report, now().getTime())) return recordAsNow(userId, play);
    const since = play.restTime === null ? beganWithinMs(play.durationMs, playedAt, now().getTime()) : 0;
    return insertOrFind(userId, play, { since, anyTrack: false });
  }

  /**
   * Records a play of a client with a wrong clock as one of now, after all others of the user, which keeps the order of
   * the reports. The reported time becomes the id of the play, so that another report of it is found.
   */
  function recordAsNow(userId: UserId, play: NewPlay): RecordResult {
    noteWrongClock(userId, play);
    const playId = play.playId ?? `clock ${play.trackId} ${play.playedAt}`;
    const recordedPlay = queries.findByPlayId(userId, playId);
    if (recordedPlay) return toRepeated(recordedPlay, play.playedMs);
    const nowMs = now().getTime();
    const playedAt = Math.max(nowMs, (queries.findLatestTime(userId, nowMs + MAX_CLOCK_AHEAD_MS) ?? 0) + 1);
    const restTime = play.restTime === null ? null : ('server' as const);
    const id = queries.insert(userId, atFreeTime(userId, { ...play, playId, playedAt, restTime }));
    return id === undefined ? { status: 'known', id: null } : { status: 'recorded', id };
  }

  function noteWrongClock(userId: UserId, { client, playedAt }: Pick<NewPlay, 'client' | 'playedAt'>): void {
    if (usersWithWrongClock.has(userId)) return;
    usersWithWrongClock.add(userId);
    log.warn(
      { user_id: userId, client, reported: new Date(playedAt).toISOString() },
      'the clock of a client is wrong, so its plays count as now; set the clock of that device',
    );
  }

  /** Returns the result for a play that is recorded, which becomes longer if it was played for longer. */
  function toRepeated(recordedPlay: SamePlay, playedMs: number | null): RecordResult {
    if (playedMs !== null && playedMs > (recordedPlay.playedMs ?? 0)) queries.lengthen(recordedPlay.id, playedMs);
    return { status: recordedPlay.withdrawnAt === null ? 'known' : 'withdrawn', id: recordedPlay.id };
  }

  /** Inserts a play, or finds the recorded one. Must be called in a transaction that holds the write lock. */
  function insertOrFind(userId: UserId, play: NewPlay, options: { since: number; anyTrack: boolean }): RecordResult {
    const samePlay =
      (play.playId === null ? undefined : queries.findByPlayId(userId, play.playId)) ??
      queries.findSame(userId, play, { within: samePlayWithinMs(play.durationMs), ...options });
    const id = samePlay ? undefined : queries.insert(userId, play.restTime === null ? play : atFreeTime(userId, play));
    if (id !== undefined) return { status: 'recorded', id };
    // a play of another track already has the song key and the time
    const existingPlay = samePlay ?? queries.findSame(userId, play, { within: 1, since: 0, anyTrack: true });
    return existingPlay ? toRepeated(existingPlay, play.playedMs) : { status: 'known', id: null };
  }

  /** Moves a play to a free millisecond, because a song can have only one play at a time. */
  const atFreeTime = (userId: UserId, play: NewPlay): NewPlay => ({
    ...play,
    playedAt: queries.findFreeTime(userId, play),
  });

  const recordSlice = db.$client.transaction((userId: UserId, reports: readonly PlayReport[]): RecordResult[] => {
    const results = reports.map((report) => recordOne(userId, report));
    const newIds = results.flatMap(({ status, id }) => (status === 'recorded' && id !== null ? [id] : []));
    if (newIds.length > 0) onRecorded?.(userId, newIds);
    return results;
  }).immediate;

  function announce(userId: UserId, results: readonly RecordResult[]): void {
    if (!results.some(({ status }) => status === 'recorded')) return;
    announceChange(userId);
    afterRecorded?.(userId);
  }

  const announceChange = (userId: UserId): void =>
    events.publish(historyEvent, { plays: queries.count(userId) }, { audience: { userId } });

  function setWithdrawn(userId: UserId, id: PlayId, withdrawnAt: Date | null): void {
    const isChanged = db.$client
      .transaction(() => {
        const play = queries.find(userId, id);
        if (!play || (play.withdrawnAt === null) === (withdrawnAt === null)) return false;
        queries.setWithdrawn(userId, id, withdrawnAt?.getTime() ?? null);
        return true;
      })
      .immediate();
    if (!isChanged) throw notFound('play', id);
    announceChange(userId);
  }

  function summaries(userId: UserId, ids: readonly PlayId[]): PlaySummary[] {
    const rows = queries.rows(ids);
    const trackIds = [...new Set(rows.flatMap(({ trackId }) => (trackId === null ? [] : [trackId])))];
    const tracks = new Map(library.tracksById(userId, trackIds).map((track) => [track.id, track]));
    return rows.map((row) => ({
      ...row,
      playedAt: new Date(row.playedAt),
      track: row.trackId === null ? null : (tracks.get(row.trackId) ?? null),
    }));
  }

  return {
    /** Records a play. Throws `not_found` for an unknown track and `invalid` for a time in the future. */
    record(userId: UserId, report: PlayReport): { play: PlaySummary; isNew: boolean } {
      if (report.playedAt && isAhead(report.playedAt.getTime(), now().getTime()))
        throw invalid([{ field: 'played_at', message: 'is in the future' }]);
      const [result] = recordSlice(userId, [report]) as [RecordResult];
      if (result.status === 'unknown_track') throw notFound('track', report.trackId);
      announce(userId, [result]);
      const [play] = result.id === null ? [] : summaries(userId, [result.id]);
      if (!play) throw notFound('play');
      return { play, isNew: result.status === 'recorded' };
    },

    /**
     * Records any number of plays, such as those of a client that was offline. Plays of a client with a wrong clock
     * count as now, in the order of the reports. Returns a result for each play, in order.
     */
    async recordMany(userId: UserId, reports: readonly PlayReport[]): Promise<RecordResult[]> {
      const results: RecordResult[] = [];
      for (const slice of partsOf(reports, PLAYS_PER_TRANSACTION)) {
        await waitForTurn();
        results.push(...recordSlice(userId, slice));
      }
      announce(userId, results);
      return results;
    },

    /**
     * Inserts an imported play in the transaction of the import. It is not scrobbled, and is compared with `anyTrack`.
     */
    insertOrFind: (userId: UserId, play: NewPlay): RecordResult =>
      insertOrFind(userId, play, { since: 0, anyTrack: true }),
    announceChange,
    /** Returns whether any user has plays without a track. */
    hasUnmatchedPlays: queries.anyUnmatched,

    async list(userId: UserId, filter: HistoryFilter, page: Page): Promise<Paged<PlaySummary>> {
      const { ids, total } = await queries.page(userId, filter, page);
      return { items: summaries(userId, ids), total };
    },

    /** Withdraws a play, so that it no longer counts. Throws `not_found`, also if the play was withdrawn before. */
    withdraw: (userId: UserId, id: PlayId): void => setWithdrawn(userId, id, now()),
    /** Restores a withdrawn play. Throws `not_found`. */
    restore(userId: UserId, id: PlayId): PlaySummary {
      setWithdrawn(userId, id, null);
      const [play] = summaries(userId, [id]);
      if (!play) throw notFound('play', id);
      return play;
    },
  };
}
