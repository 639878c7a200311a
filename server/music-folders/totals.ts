// How much is in each music folder.
import type { ReadAside } from '../library/lists/list-pages.ts';
import { sourceIdBounds } from '../storage/music-roots.ts';

export interface FolderTotals {
  tracks: number;
  sizeBytes: number;
  durationMs: number;
  /** Tracks whose only audio is the file in the folder. */
  indexedTracks: number;
}

const TOTALS = (where: string): string =>
  `WITH sums AS MATERIALIZED (SELECT count(*) AS tracks, coalesce(sum(size_bytes), 0) AS size,
      coalesce(sum(duration_ms), 0) AS duration, count(*) FILTER (WHERE storage_uri LIKE 'file:%') AS indexed
    FROM tracks WHERE source = 'local_folder' AND ${where})
  SELECT tracks FROM sums UNION ALL SELECT size FROM sums UNION ALL SELECT duration FROM sums
  UNION ALL SELECT indexed FROM sums`;
const OF_OTHER = TOTALS('source_id >= @from AND source_id < @below');
const OF_ALL = TOTALS('true');

const NAMES = ['tracks', 'sizeBytes', 'durationMs', 'indexedTracks'] as const;

/** By key. What is in no other folder is in the first. Runs in the thread of long lists. */
export async function totalsOf(readAside: ReadAside, keys: readonly string[]): Promise<Map<string, FolderTotals>> {
  const read = async (sql: string, params: Record<string, string>): Promise<number[]> => readAside(sql, params);
  const others = keys.filter((key) => key !== '');
  const [all, ...each] = await Promise.all([
    read(OF_ALL, {}),
    ...others.map((key) => {
      const [from, below] = sourceIdBounds(key);
      return read(OF_OTHER, { from, below });
    }),
  ]);
  const first = all.map((value, i) => each.reduce((left, one) => left - (one[i] ?? 0), value));
  return new Map([['', toTotals(first)], ...others.map((key, i) => [key, toTotals(each[i] ?? [])] as const)]);
}

const toTotals = (values: readonly number[]): FolderTotals =>
  Object.fromEntries(NAMES.map((name, i) => [name, values[i] ?? 0])) as unknown as FolderTotals;
