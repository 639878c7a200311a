// Who played what and when. Append-only: a play that is reported again is the one that is there, one that is taken back
// stays as withdrawn, so that a client that reports it once more does not bring it back.
import { setImmediate as breathe } from 'node:timers/promises';
import type { MainDb } from '../db/client.ts';
import type { PlayId, TrackId, UserId } from '../db/ids.ts';
import { invalid, notFound } from '../errors.ts';
import type { EventHub } from '../events/hub.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { ReadAside } from '../library/listing.ts';
import type { LibraryService } from '../library/service.ts';
import type { TrackSummary } from '../library/track-rows.ts';
import { createHistoryQueries, type HistoryFilter, type NewPlay, type PlayRow } from './queries.ts';
import { samePlayWithinMs } from './same-play.ts';
import { songKey } from './song-names.ts';
import { historyEvent } from './events.ts';

/** What a client says that was played. `playedAt` is when the play began; now when absent. */
export interface PlayReport {
  trackId: TrackId;
  playedAt?: Date | undefined;
  playedMs?: number | undefined;
  client?: string | undefined;
}

/** `known`: it is in the history already · `withdrawn`: it was, and was taken back. */
export type RecordedAs = 'recorded' | 'known' | 'withdrawn' | 'unknown_track' | 'in_future';
export interface Recorded {
  status: RecordedAs;
  id: PlayId | null;
}

/** A play with its track of today, where it has one. */
export interface PlaySummary extends Omit<PlayRow, 'playedAt'> {
  playedAt: Date;
  track: TrackSummary | null;
}

export interface HistoryDeps {
  db: MainDb;
  now: () => Date;
  events: Pick<EventHub, 'publish'>;
  library: Pick<LibraryService, 'tracksById'>;
  readAside?: ReadAside;
  /** Plays that were recorded just now; called inside the transaction. */
  onRecorded?: (userId: UserId, ids: readonly PlayId[]) => void;
  /** After the transaction. */
  afterRecorded?: (userId: UserId) => void;
}

/** Clocks of phones are a little off. */
const AHEAD_MS = 10 * 60_000;
/** About 10 ms of writing; between slices others have their turn. */
const SLICE = 100;

export type HistoryService = ReturnType<typeof createHistoryService>;

export function createHistoryService({ db, now, events, library, readAside, onRecorded, afterRecorded }: HistoryDeps) {
  const queries = createHistoryQueries({ db, readAside });

  function recordOne(userId: UserId, report: PlayReport): Recorded {
    const playedAt = (report.playedAt ?? now()).getTime();
    if (playedAt > now().getTime() + AHEAD_MS) return { status: 'in_future', id: null };
    const song = queries.findSong(report.trackId);
    if (!song) return { status: 'unknown_track', id: null };
    const play = {
      ...song,
      playedAt,
      playedMs: report.playedMs ?? null,
      client: report.client ?? null,
      songKey: songKey(song.artistName, song.title),
    };
    return insertOrFind(userId, play, false);
  }

  /** Inside a transaction that holds the write lock. */
  function insertOrFind(userId: UserId, play: NewPlay, anyTrack: boolean): Recorded {
    const same = queries.findSame(userId, play, samePlayWithinMs(play.durationMs), anyTrack);
    const id = same ? undefined : queries.insert(userId, play);
    if (id !== undefined) return { status: 'recorded', id };
    const known = same ?? queries.findSame(userId, play, 1, true); // the same moment, under another track of that name
    if (known && play.playedMs !== null && play.playedMs > (known.playedMs ?? 0))
      queries.lengthen(known.id, play.playedMs);
    return { status: known && known.withdrawnAt !== null ? 'withdrawn' : 'known', id: known?.id ?? null };
  }

  const recordSlice = db.$client.transaction((userId: UserId, reports: readonly PlayReport[]): Recorded[] => {
    const recorded = reports.map((report) => recordOne(userId, report));
    const fresh = recorded.flatMap(({ status, id }) => (status === 'recorded' && id !== null ? [id] : []));
    if (fresh.length > 0) onRecorded?.(userId, fresh);
    return recorded;
  }).immediate;

  function announce(userId: UserId, recorded: readonly Recorded[]): void {
    if (!recorded.some(({ status }) => status === 'recorded')) return;
    changed(userId);
    afterRecorded?.(userId);
  }

  const changed = (userId: UserId): void =>
    events.publish(historyEvent, { plays: queries.count(userId) }, { audience: { userId } });

  function setWithdrawn(userId: UserId, id: PlayId, at: Date | null): void {
    const done = db.$client
      .transaction(() => {
        const play = queries.find(userId, id);
        if (!play || (play.withdrawnAt === null) === (at === null)) return false;
        queries.setWithdrawn(userId, id, at?.getTime() ?? null);
        return true;
      })
      .immediate();
    if (!done) throw notFound('play', id);
    changed(userId);
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
    /** Throws `not_found` for a track that is not in the library and `invalid` for a time to come. */
    record(userId: UserId, report: PlayReport): { play: PlaySummary; isNew: boolean } {
      const [recorded] = recordSlice(userId, [report]) as [Recorded];
      if (recorded.status === 'unknown_track') throw notFound('track', report.trackId);
      if (recorded.status === 'in_future') throw invalid([{ field: 'played_at', message: 'lies in the future' }]);
      announce(userId, [recorded]);
      const [play] = recorded.id === null ? [] : summaries(userId, [recorded.id]);
      if (!play) throw notFound('play');
      return { play, isNew: recorded.status === 'recorded' };
    },

    /** Any number of plays, as clients send them that were offline; gives what became of each, in their order. */
    async recordMany(userId: UserId, reports: readonly PlayReport[]): Promise<Recorded[]> {
      const recorded: Recorded[] = [];
      for (let i = 0; i < reports.length; i += SLICE) {
        if (i > 0) await breathe();
        recorded.push(...recordSlice(userId, reports.slice(i, i + SLICE)));
      }
      announce(userId, recorded);
      return recorded;
    },

    /** For an import, inside its transaction: nothing is scrobbled, and names alone decide what was there. */
    insertOrFind: (userId: UserId, play: NewPlay): Recorded => insertOrFind(userId, play, true),
    changed,
    /** Whether there are plays, of anybody, without a track. */
    hasLoosePlays: queries.anyLoose,

    async list(userId: UserId, filter: HistoryFilter, page: Page): Promise<Paged<PlaySummary>> {
      const { ids, total } = await queries.page(userId, filter, page);
      return { items: summaries(userId, ids), total };
    },

    /** Takes a play back; it counts nowhere any more. Throws `not_found` also when it was taken back before. */
    withdraw: (userId: UserId, id: PlayId): void => setWithdrawn(userId, id, now()),
    /** Undoes it. */
    restore(userId: UserId, id: PlayId): PlaySummary {
      setWithdrawn(userId, id, null);
      const [play] = summaries(userId, [id]);
      if (!play) throw notFound('play', id);
      return play;
    },
  };
}
