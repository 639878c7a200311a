// Computes the size of the library and the usage of the disk, from totals that triggers keep.
import type { MainDb } from '../db/client.ts';
import type { RowAs } from '../db/rows.ts';
import type { libraryTotals } from '../db/schema.ts';
import { NO_FORMAT } from '../library/lists/filters.ts';
import { createResultCache } from '../library/lists/result-cache.ts';
import type { LibraryService } from '../library/service.ts';
import { createStatements } from '../library/lists/statement-cache.ts';
import { volumeName } from '../storage/local.ts';
import type { DiskUsage, Storage } from '../storage/storage.ts';

interface Share {
  key: string;
  tracks: number;
  sizeBytes: number;
}

export interface StorageStats {
  tracks: number;
  artists: number;
  albums: number;
  sizeBytes: number;
  durationMs: number;
  byFormat: Share[];
  bySource: Share[];
  byMetadataStatus: Share[];
  albumsByYear: { year: number; albums: number }[];
  topGenres: { genre: string; tracks: number }[];
  disk: DiskUsage | null;
}

type Total = RowAs<
  typeof libraryTotals,
  'source' | 'metadataStatus' | 'format' | 'tracks' | 'sizeBytes' | 'durationMs'
>;

const TOP_GENRES = 20;

interface StorageStatsDeps {
  db: MainDb;
  storage: Pick<Storage, 'diskUsage'>;
  library: Pick<LibraryService, 'countLibrary'>;
}

export function createStorageStats({ db, storage, library }: StorageStatsDeps) {
  const cache = createResultCache<Omit<StorageStats, 'disk'>>(createStatements(db.$client), 1);
  const totals = db.$client.prepare<
    [],
    Total
  >(`SELECT source, metadata_status AS metadataStatus, format, tracks, size_bytes AS sizeBytes,
    duration_ms AS durationMs
    FROM library_totals WHERE tracks > 0`);
  const genres = db.$client.prepare<
    [],
    { genre: string; tracks: number }
  >(`SELECT name AS genre, track_count AS tracks FROM genres WHERE track_count > 0
    ORDER BY track_count DESC, name_key LIMIT ${TOP_GENRES}`);

  const years = db.$client.prepare<[], { year: number; albums: number }>(
    'SELECT year, count(*) AS albums FROM albums WHERE year > 0 GROUP BY year ORDER BY year',
  );

  function sumUp(): Omit<StorageStats, 'disk'> {
    const rows = totals.all();
    const sum = (value: (row: Total) => number): number => rows.reduce((total, row) => total + value(row), 0);
    return {
      ...library.countLibrary(),
      tracks: sum(({ tracks }) => tracks),
      sizeBytes: sum(({ sizeBytes }) => sizeBytes),
      durationMs: sum(({ durationMs }) => durationMs),
      byFormat: shares(rows, ({ format }) => format || NO_FORMAT),
      bySource: shares(rows, ({ source }) => source),
      byMetadataStatus: shares(rows, ({ metadataStatus }) => metadataStatus),
      albumsByYear: years.all(),
      topGenres: genres.all(),
    };
  }

  /** Returns the statistics. Without `withPath`, the disk is named by its volume. */
  return async ({ withPath }: { withPath: boolean }): Promise<StorageStats> => {
    const disk = await storage.diskUsage();
    return {
      ...cache.get(['library'], 'storage', sumUp),
      disk: disk && { ...disk, path: withPath ? disk.path : await volumeName(disk.path) },
    };
  };
}

export type StorageStatsOf = ReturnType<typeof createStorageStats>;

/** Returns the shares of a total, the largest first. */
const shares = (rows: readonly Total[], keyOf: (row: Total) => string): Share[] =>
  [...Map.groupBy(rows, keyOf)]
    .map(([key, group]) => ({
      key,
      tracks: group.reduce((total, row) => total + row.tracks, 0),
      sizeBytes: group.reduce((total, row) => total + row.sizeBytes, 0),
    }))
    .sort((a, b) => b.tracks - a.tracks || (a.key < b.key ? -1 : 1));
