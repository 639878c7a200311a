// Counts the tracks of each music folder, and sums up their size and duration.
import type { ReadAside } from '../library/lists/list-pages.ts';
import { sourceIdBounds } from '../storage/music-roots.ts';

export interface FolderTotals {
  tracks: number;
  sizeBytes: number;
  durationMs: number;
  /** The number of tracks whose only audio is the file in the folder. */
  indexedTracks: number;
}

const totalsSql = (condition: string): string =>
  `WITH sums AS MATERIALIZED (SELECT count(*) AS tracks, coalesce(sum(size_bytes), 0) AS size,
      coalesce(sum(duration_ms), 0) AS duration, count(*) FILTER (WHERE storage_uri LIKE 'file:%') AS indexed
    FROM tracks WHERE source = 'local_folder' AND ${condition})
  SELECT tracks FROM sums UNION ALL SELECT size FROM sums UNION ALL SELECT duration FROM sums
  UNION ALL SELECT indexed FROM sums`;
const FOLDER_TOTALS_SQL = totalsSql('source_id >= @from AND source_id < @below');
const LIBRARY_TOTALS_SQL = totalsSql('true');

const TOTAL_NAMES = ['tracks', 'sizeBytes', 'durationMs', 'indexedTracks'] as const;

/** Returns totals by key. Tracks that are in no other folder count for the first. Runs in the thread of long lists. */
export async function readFolderTotals(
  readAside: ReadAside,
  keys: readonly string[],
): Promise<Map<string, FolderTotals>> {
  const readColumn = async (sql: string, params: Record<string, string>): Promise<number[]> => readAside(sql, params);
  const otherKeys = keys.filter((key) => key !== '');
  const [libraryValues, ...folderValues] = await Promise.all([
    readColumn(LIBRARY_TOTALS_SQL, {}),
    ...otherKeys.map((key) => {
      const [from, end] = sourceIdBounds(key);
      return readColumn(FOLDER_TOTALS_SQL, { from, below: end });
    }),
  ]);
  const firstFolderValues = libraryValues.map((value, i) =>
    folderValues.reduce((remainder, values) => remainder - (values[i] ?? 0), value),
  );
  return new Map([
    ['', toTotals(firstFolderValues)],
    ...otherKeys.map((key, i) => [key, toTotals(folderValues[i] ?? [])] as const),
  ]);
}

const toTotals = (values: readonly number[]): FolderTotals =>
  Object.fromEntries(TOTAL_NAMES.map((name, i) => [name, values[i] ?? 0])) as unknown as FolderTotals;
