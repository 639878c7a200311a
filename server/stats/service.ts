// Listening statistics of a user: for any range of time, and for a year in review.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MainDb } from '../db/client.ts';
import { dataVersionOf } from '../db/data-version.ts';
import type { ArtistId, UserId } from '../db/ids.ts';
import { preparePlays, type PlayedAt } from './queries.ts';
import { createPlayTotals, type PlayTotals, type UnmatchedSum, type Range, type Sum } from './play-totals.ts';
import { longestStreak, type Streak } from './streaks.ts';
import { createTops, type TopTrack, type Tops } from './top-lists.ts';
import { toDay, type Zone } from './time-zones.ts';

/** Totals without the sums by track, which may be as large as the library, because results are cached. */
type TotalsSummary = Omit<PlayTotals, 'tracks' | 'unmatchedSongs'>;
export interface Listening {
  range: Range;
  zone: Zone;
  totals: TotalsSummary;
  tops: Tops;
}

export interface YearReview extends Listening {
  year: number;
  months: Sum[];
  streak: Streak | undefined;
  busiestDay: number | undefined;
  firstPlay: PlayedAt | undefined;
  lastPlay: PlayedAt | undefined;
  newTracks: number;
  newArtists: number;
  /** The most played tracks that were never played before this year. */
  discoveries: TopTrack[];
}

const MAX_CACHED_ANSWERS = 100;
/** The number of queries before other requests are served. */
const QUERIES_PER_YIELD = 500;
export const ALL_TIME: Range = { from: 0, to: Number.MAX_SAFE_INTEGER };

export type StatsService = ReturnType<typeof createStatsService>;

export function createStatsService({ db }: { db: MainDb }) {
  const client = db.$client;
  const totalsOf = createPlayTotals(client);
  const tops = createTops(client);
  const dataVersion = dataVersionOf(client);
  const { findPlay, findEarlierTrackPlay, findEarlierSongPlay, findEarlierArtistPlay } = preparePlays(client);

  const cache = new Map<string, { version: string; answer: Promise<unknown> }>();

  /** Caches results until the next write to the database. */
  function cacheUntilWrite<T>(key: string, computeResult: () => Promise<T>): Promise<T> {
    const currentVersion = dataVersion.current();
    const entry = cache.get(key);
    if (entry?.version === currentVersion) return entry.answer as Promise<T>;
    const answer = computeResult();
    cache.delete(key);
    cache.set(key, { version: currentVersion, answer });
    answer.catch(() => cache.delete(key));
    if (cache.size > MAX_CACHED_ANSWERS) cache.delete(cache.keys().next().value as string);
    return answer;
  }

  async function listening(userId: UserId, range: Range, zone: Zone): Promise<Listening> {
    const { tracks, unmatchedSongs, ...summary } = await totalsOf(userId, range, zone);
    return { range, zone, totals: summary, tops: await tops.listAll({ tracks, unmatchedSongs }) };
  }

  async function filterNew<T>(items: Iterable<T>, isNew: (item: T) => boolean): Promise<T[]> {
    const newItems: T[] = [];
    let queries = 0;
    for (const item of items) {
      if (isNew(item)) newItems.push(item);
      if (++queries % QUERIES_PER_YIELD === 0) await nextTurn();
    }
    return newItems;
  }

  async function yearReview(userId: UserId, year: number, zone: Zone): Promise<YearReview> {
    const range = { from: zone.startOf(toDay(year)), to: zone.startOf(toDay(year + 1)) };
    const { tracks, unmatchedSongs, ...summary } = await totalsOf(userId, range, zone);
    const { days, firstPlayId, lastPlayId } = summary;
    const newTracks = await filterNew(tracks, ([id]) => findEarlierTrackPlay.get(id, userId, range.from) === undefined);
    const newSongs = await filterNew<[number, UnmatchedSum]>(
      unmatchedSongs,
      ([, { song }]) => song === null || findEarlierSongPlay.get(userId, song, range.from) === undefined,
    );
    const { artists } = await tops.count({ tracks, unmatchedSongs: new Map() });
    const newArtists = await filterNew(
      artists.keys(),
      (id) => findEarlierArtistPlay.get(id as ArtistId, userId, range.from) === undefined,
    );
    return {
      range,
      zone,
      year,
      totals: summary,
      tops: await tops.listAll({ tracks, unmatchedSongs }),
      months: monthsOf(days),
      streak: longestStreak([...days.keys()]),
      busiestDay: [...days].reduce<[number, Sum] | undefined>(
        (bestDay, entry) => (!bestDay || entry[1].plays > bestDay[1].plays ? entry : bestDay),
        undefined,
      )?.[0],
      firstPlay: firstPlayId === undefined ? undefined : findPlay.get(firstPlayId),
      lastPlay: lastPlayId === undefined ? undefined : findPlay.get(lastPlayId),
      newTracks: newTracks.length + newSongs.length,
      newArtists: newArtists.length,
      discoveries: tops.topTracks({ tracks: new Map(newTracks), unmatchedSongs: new Map(newSongs) }),
    };
  }

  return {
    listening: (userId: UserId, range: Range, zone: Zone): Promise<Listening> =>
      cacheUntilWrite(`listening ${userId} ${range.from} ${range.to} ${zone.name}`, () =>
        listening(userId, range, zone),
      ),
    /**
     * Returns the review of a year in the calendar of the time zone. `newArtists` counts artists with tracks in the
     * library.
     */
    yearReview: (userId: UserId, year: number, zone: Zone): Promise<YearReview> =>
      cacheUntilWrite(`year ${userId} ${year} ${zone.name}`, () => yearReview(userId, year, zone)),
  };
}

function monthsOf(days: ReadonlyMap<number, Sum>): Sum[] {
  const months = Array.from({ length: 12 }, () => ({ plays: 0, playedMs: 0 }));
  for (const [day, { plays, playedMs }] of days) {
    const month = months[new Date(day * 86_400_000).getUTCMonth()] as Sum;
    month.plays += plays;
    month.playedMs += playedMs;
  }
  return months;
}
