// Music that goes on from here: tracks of the same artists and genres, in random order. Enough for an evening.
import type { TrackOut, TrackPage } from '../../server/library/wire.ts';
import { request } from '../api/client.ts';

const OF_ARTIST = 15;
const OF_GENRE = 60;
const MOST_SEEDS = 3;

/** The most frequent first. */
function mostOf<T>(values: readonly T[]): T[] {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([value]) => value);
}

/** Begins with one of the seeds. */
export async function radioFrom(
  seeds: readonly TrackOut[],
  seed = Math.floor(Math.random() * 1e9),
): Promise<TrackOut[]> {
  const random = async (path: string, query: Record<string, string | number>): Promise<TrackOut[]> =>
    (await request<TrackPage>(path, { query: { sort: 'random', seed, ...query } })).items;
  const artists = mostOf(seeds.flatMap(({ artist_id }) => artist_id ?? [])).slice(0, MOST_SEEDS);
  const genres = mostOf(seeds.flatMap((track) => track.genres)).slice(0, MOST_SEEDS);
  const found = await Promise.all([
    ...artists.map((artist_id) => random('/tracks', { artist_id, limit: OF_ARTIST })),
    ...genres.map((genre) => random('/tracks', { genre, limit: OF_GENRE })),
    ...(genres.length === 0 ? [random('/tracks', { limit: OF_GENRE })] : []),
  ]);
  const first = seeds[seed % seeds.length];
  const byId = new Map(found.flat().map((track) => [track.id, track]));
  if (first) byId.delete(first.id);
  const rest = [...byId.values()].filter(({ availability }) => availability === 'available');
  // the artists' own among the others
  for (let i = rest.length - 1; i > 0; i -= 1) {
    const j = Math.floor(Math.random() * (i + 1));
    [rest[i], rest[j]] = [rest[j]!, rest[i]!];
  }
  return first ? [first, ...rest] : rest;
}
