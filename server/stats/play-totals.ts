// Sums up a user's plays in a range of time. Reads the rows in slices of some milliseconds, so that a million of them
// do not block requests.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Sqlite } from '../db/client.ts';
import type { PlayId, TrackId, UserId } from '../db/ids.ts';
import type { Zone } from './time-zones.ts';

export interface Sum {
  plays: number;
  playedMs: number;
}

/** Plays of a song without a track, summed. */
export interface UnmatchedSum extends Sum {
  song: number | null;
  playId: PlayId;
}

export interface PlayTotals extends Sum {
  /** Sums by local day, ascending. */
  days: Map<number, Sum>;
  /** Sums for the 24 hours of the day. */
  hours: Sum[];
  /** Sums for the 7 × 24 hours of the week, from Monday at midnight. */
  week: Sum[];
  tracks: Map<TrackId, Sum>;
  /** Sums by song key, or by negative play id for plays without a song key. */
  unmatchedSongs: Map<number, UnmatchedSum>;
  firstPlayId: PlayId | undefined;
  lastPlayId: PlayId | undefined;
}

export interface Range {
  from: number;
  to: number;
}

/** The number of rows that are read at a time, which takes 3 to 8 ms. */
const ROWS_PER_READ = 3_000;

const emptySums = (length: number): Sum[] => Array.from({ length }, () => ({ plays: 0, playedMs: 0 }));

/** Returns the weekday of a day; 0 is Monday. 1 January 1970 was a Thursday. */
const weekdayOf = (day: number): number => (((day + 3) % 7) + 7) % 7;

type Row = [id: PlayId, playedAt: number, trackId: TrackId | null, playedMs: number, songKey: number | null];

export const addTo = <K>(sums: Map<K, Sum>, key: K, { plays, playedMs }: Sum): void => {
  const sum = sums.get(key);
  if (sum) {
    sum.plays += plays;
    sum.playedMs += playedMs;
  } else sums.set(key, { plays, playedMs });
};

export function createPlayTotals(client: Sqlite) {
  const listPlays = client
    .prepare<
      [UserId, number, PlayId, number],
      Row
    >(`SELECT id, played_at, track_id, coalesce(played_ms, duration_ms, 0), song_key FROM plays
    WHERE user_id = ? AND withdrawn_at IS NULL AND (played_at, id) > (?, ?) AND played_at < ? ORDER BY played_at, id
    LIMIT ${ROWS_PER_READ}`)
    .raw();

  return async function sumUp(userId: UserId, { from, to }: Range, zone: Zone): Promise<PlayTotals> {
    const result: PlayTotals = {
      plays: 0,
      playedMs: 0,
      days: new Map(),
      hours: emptySums(24),
      week: emptySums(7 * 24),
      tracks: new Map(),
      unmatchedSongs: new Map(),
      firstPlayId: undefined,
      lastPlayId: undefined,
    };
    let position: [number, PlayId] = [from - 1, Number.MAX_SAFE_INTEGER as PlayId];
    for (;;) {
      const rows = listPlays.all(userId, ...position, to);
      for (const row of rows) add(result, row, zone);
      const lastRow = rows.at(-1);
      if (!lastRow || rows.length < ROWS_PER_READ) return result;
      position = [lastRow[1], lastRow[0]];
      await nextTurn();
    }
  };
}

function add(result: PlayTotals, [id, playedAt, trackId, playedMs, song]: Row, zone: Zone): void {
  const play = { plays: 1, playedMs };
  const { day, hour } = zone.dayAndHourAt(playedAt);
  result.firstPlayId ??= id;
  result.lastPlayId = id;
  result.plays++;
  result.playedMs += playedMs;
  addTo(result.days, day, play);
  for (const sum of [result.hours[hour] as Sum, result.week[weekdayOf(day) * 24 + hour] as Sum]) {
    sum.plays++;
    sum.playedMs += playedMs;
  }
  if (trackId !== null) return addTo(result.tracks, trackId, play);
  const key = song ?? -Number(id);
  const unmatchedSum = result.unmatchedSongs.get(key);
  if (unmatchedSum) {
    unmatchedSum.plays++;
    unmatchedSum.playedMs += playedMs;
  } else result.unmatchedSongs.set(key, { ...play, song, playId: id });
}
