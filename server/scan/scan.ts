// A scan of the music folder: walk → classify (walking thread) → read and copy (reading thread) → rows (here, in short
// batches). What it did stays when it is cancelled or killed; the next one goes on, because a file is known once its
// row is written.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { AppError, DISK_FULL, isDiskFull, messageOf } from '../errors.ts';
import { limitHeapGrowth } from '../runtime/heap-limits.ts';
import type { TrackWriter } from '../library/track-writer.ts';
import type { Storage } from '../storage/storage.ts';
import { assertMounted } from './mounted-folder.ts';
import { createIdentity, type ReadNew } from './identity.ts';
import { standingFolders } from './scan-folders.ts';
import { nameOfMark } from '../files/lyrics-files.ts';
import { progressReporter } from './progress.ts';
import { createDryRun } from './dry-run.ts';
import { createScanWriter, sourceIdOf, type ScanOp, type ScanTally } from './writer.ts';
import type { ReaderPool } from '../files/reader-pool.ts';
import type { ReadResult } from '../files/reader-worker.ts';
import { createCopies } from './store-copies.ts';
import type { AdoptByFingerprint } from './fingerprint-identity.ts';
import { join } from '../files/relative-path.ts';
import { type Candidate, type FolderBatch } from './walk.ts';
import type { Walker } from './walker.ts';
import { createWriteQueue, QUEUE_FILES } from './write-queue.ts';
import type { ScanProgress, ScanResult } from './wire.ts';

export const LOCAL_FOLDER = 'local_folder';

const GROUP_FILES = 64;
const GROUPS_AHEAD = 4;
/** The longest batch of rows while people use the server, and while nobody does. */
const BATCH_MS = { busy: 10, quiet: 30 };
const LISTED_SKIPS = 1_000;
const FILE_URI = 'file:';

export interface ScanDeps {
  db: MainDb;
  databasePath: string;
  tracks: TrackWriter;
  reader: ReaderPool;
  walker: Walker;
  now: () => Date;
  storage: Pick<Storage, 'putAudio' | 'backend' | 'folder'>;
  /** Called for audio that a changed file replaced; it may still belong to another track. */
  releaseAudio: (storageUris: string[]) => Promise<void>;
  /** Tracks whose files are gone and that new files sound as take these over; gives which. */
  adoptByFingerprint: AdoptByFingerprint;
  /** Somebody was served within the last second: rows are then written in shorter batches. */
  isServing: () => boolean;
  /** Resolves when the database's log is short enough to write on. */
  relieve: () => Promise<void>;
}

export interface ScanOptions {
  importPath: string;
  mode: 'copy' | 'reference';
  /** Folders to scan, relative; none means all. */
  folders: string[];
  restore: boolean;
  /** Only tell what would change: nothing is copied, and no row is written. */
  dryRun: boolean;
  signal: AbortSignal;
  onProgress: (progress: Omit<ScanProgress, 'job_id'>) => void;
  /** Rows were written. */
  onCommit: () => void;
}

interface Item {
  path: string;
  candidate: Candidate;
}

/**
 * Throws an AppError when the folder is not there, or empty where it was not before (nothing is marked missing then),
 * and when the disk is full.
 */
export async function scan(deps: ScanDeps, options: ScanOptions): Promise<ScanResult> {
  try {
    return await runScan(deps, options);
  } catch (error) {
    throw isDiskFull(error) ? new AppError('storage_full', DISK_FULL, { cause: error }) : error;
  }
}

async function runScan(deps: ScanDeps, options: ScanOptions): Promise<ScanResult> {
  const started = deps.now().getTime();
  await assertMounted(deps.db, LOCAL_FOLDER, options.importPath);

  const folders = await standingFolders(options.importPath, options.folders);
  const plan = options.dryRun ? createDryRun({ db: deps.db, source: LOCAL_FOLDER }) : undefined;
  const writer =
    plan ?? createScanWriter({ db: deps.db, tracks: deps.tracks, source: LOCAL_FOLDER, storage: deps.storage });
  const counts = { seen: 0, unchanged: 0, read: 0, skippedCount: 0 };
  const skipped: ScanResult['skipped'] = [];
  const queue = createWriteQueue({
    writeBatch: writer.writeBatch,
    batchMs: () => (deps.isServing() ? BATCH_MS.busy : BATCH_MS.quiet),
    relieve: deps.relieve,
    onCommit: options.onCommit,
  });
  const report = progressReporter(options.onProgress, counts, writer.tally);
  const inFlight = new Set<Promise<void>>();
  const isCopying = options.mode === 'copy' && !options.dryRun;
  const copyTo = isCopying ? deps.storage.folder : null;
  const sendsCopies = isCopying && copyTo === null;
  const storeCopies = createCopies({ storage: deps.storage });
  const newest = newestTrack(deps.db);
  if (newest === 0) deps.reader.warm(); // a first scan: there will be files to read
  let fatal: AppError | undefined;
  let letHeapGrow: (() => void) | undefined;

  const stopIfAsked = (): void => {
    if (fatal) throw fatal;
    options.signal.throwIfAborted();
  };

  const identity = createIdentity({
    db: deps.db,
    root: options.importPath,
    source: LOCAL_FOLDER,
    displaced: writer.displaced,
  });

  /**
   * Files that only moved are told apart first; the others are read, and then looked for among tracks whose files are
   * gone.
   */
  async function readGroup(items: Item[], credit: (files: number) => void): Promise<void> {
    const toRead: Item[] = [];
    const places = await identity.byFile(items);
    for (const [i, { path, candidate }] of items.entries()) {
      const found = places[i];
      if (!found) toRead.push({ path, candidate });
      else if ('trackId' in found) queue.push([{ kind: 'moved', path, candidate, trackId: found.trackId }]);
      else if (options.restore) toRead.push({ path, candidate });
      else queue.push([{ kind: 'deleted', path, candidate, from: found.from }]);
    }
    const read = await deps.reader.read({
      root: options.importPath,
      paths: toRead.map(({ path, candidate: { name, sizeBytes, mtimeUs, dev, lyricsMark } }) => ({
        path: join(path, name),
        sizeBytes,
        mtimeUs,
        dev,
        lyrics: lyricsMark && join(path, nameOfMark(lyricsMark)),
      })),
      copyTo,
      named: sendsCopies,
      hashLarge: options.mode === 'copy', // in one go with the copy
    });
    letHeapGrow ??= limitHeapGrowth();
    fatal ??= fatalOf(read, writer.tally.added);
    if (fatal) return;
    const results = sendsCopies
      ? await storeCopies(
          options.importPath,
          read.map((result, i) => ({ path: pathOf(toRead[i] as Item), result })),
          options.signal,
        )
      : read;
    const isNew = results.map((result, i) => result.ok && (toRead[i]?.candidate.known?.trackId ?? null) === null);
    const matches = await identity.byContent(
      toRead.flatMap(({ path, candidate }, i) =>
        isNew[i]
          ? [
              {
                path,
                name: candidate.name,
                sourceId: sourceIdOf(path, candidate.name),
                result: results[i] as ReadNew['result'],
              },
            ]
          : [],
      ),
    );
    queue.push(
      toRead.map(({ path, candidate }, i): ScanOp => ({
        kind: 'file',
        path,
        candidate,
        result: results[i] as ReadResult,
        adopt: isNew[i] ? matches.shift() : undefined,
      })),
    );
    counts.read += items.length;
    credit(items.length);
    report();
  }

  const walk = deps.walker.start({
    root: options.importPath,
    folders,
    restore: options.restore,
    databasePath: deps.databasePath,
    source: LOCAL_FOLDER,
  });
  try {
    let group: Item[] = [];
    const dispatch = async (): Promise<void> => {
      if (group.length === 0) return;
      const items = group;
      group = [];
      while (inFlight.size >= GROUPS_AHEAD) await Promise.race(inFlight);
      await queue.below(QUEUE_FILES);
      stopIfAsked();
      const reading: Promise<void> = readGroup(items, walk.credit).finally(() => inFlight.delete(reading));
      reading.catch((error: unknown) => {
        fatal ??= error instanceof AppError ? error : new AppError('unavailable', messageOf(error), { cause: error });
      });
      inFlight.add(reading);
    };

    for await (const { batches, files, current } of walk.messages(options.signal)) {
      stopIfAsked();
      counts.seen += files;
      for (const batch of batches) {
        counts.unchanged += batch.unchanged + batch.returned.length;
        counts.skippedCount += batch.skipped.length;
        for (const { name, reason } of batch.skipped)
          if (skipped.length < LISTED_SKIPS) skipped.push({ source_id: sourceIdOf(batch.path, name), reason });
        const { candidates, ...folder } = batch;
        if (isNews(batch)) queue.push([{ kind: 'folder', batch: { ...folder, fileCount: candidates.length } }]);
        for (const candidate of candidates) {
          group.push({ path: batch.path, candidate });
          if (group.length >= GROUP_FILES) await dispatch();
        }
      }
      await dispatch();
      report(current);
    }
    report.walked();
    await Promise.all(inFlight);
    stopIfAsked();
    await queue.empty();
    report.hashing();
    if (options.mode === 'reference' && !options.dryRun) await hashLater(deps, options);
    if (!options.dryRun)
      countFound(
        writer.tally,
        await deps.adoptByFingerprint({
          root: options.importPath,
          source: LOCAL_FOLDER,
          after: newest,
          signal: options.signal,
        }),
      );
  } finally {
    walk.end();
    await Promise.allSettled(inFlight);
    await queue.empty(); // what was read is kept, also when the scan is cancelled
    letHeapGrow?.();
  }
  if (writer.tally.replaced.length > 0) await deps.releaseAudio(writer.tally.replaced);

  const { added, updated, moved, missing, restored, failed, failedCount, changing, changingCount } = writer.tally;
  return {
    path: options.importPath,
    folders,
    dry_run: options.dryRun,
    changes: plan?.changes() ?? null,
    files: counts.seen,
    added,
    updated,
    moved,
    unchanged: counts.unchanged,
    missing: missing.size,
    restored,
    failed,
    failed_count: failedCount,
    changing,
    changing_count: changingCount,
    skipped,
    skipped_count: counts.skippedCount,
    duration_ms: deps.now().getTime() - started,
  };
}

const newestTrack = (db: MainDb): TrackId =>
  db.$client.prepare<[], TrackId>('SELECT coalesce(max(id), 0) FROM tracks').pluck().get() as TrackId;

/** Tracks that were taken for new ones, and for missing, until they were heard. */
function countFound(tally: ScanTally, found: TrackId[]): void {
  tally.added -= found.length;
  tally.moved += found.length;
  for (const id of found) tally.missing.delete(id);
}

/**
 * In reference mode a large file is read whole only now, when the library shows it already: its hash is what it is
 * known by when it moves and is retagged at once. A file that cannot be read now is tried again by the next scan.
 */
async function hashLater({ db, reader }: ScanDeps, { importPath, signal }: ScanOptions): Promise<void> {
  const next = db.$client.prepare<[string, number, number], { id: number; storage_uri: string }>(
    `SELECT id, storage_uri FROM tracks WHERE source = ? AND id > ? AND audio_hash IS NULL AND storage_uri IS NOT NULL AND availability = 'available' ORDER BY id LIMIT ?`,
  );
  const store = db.$client.prepare('UPDATE tracks SET audio_hash = ? WHERE id = ? AND storage_uri = ?');
  for (
    let after = 0, rows = next.all(LOCAL_FOLDER, after, GROUP_FILES);
    rows.length > 0;
    rows = next.all(LOCAL_FOLDER, after, GROUP_FILES)
  ) {
    signal.throwIfAborted();
    after = rows.at(-1)?.id ?? after;
    const files = rows.filter((row) => row.storage_uri.startsWith(FILE_URI));
    const results = await reader.read({
      root: importPath,
      paths: files.map((row) => row.storage_uri.slice(FILE_URI.length)),
      copyTo: null,
      hashLarge: true,
    });
    db.$client
      .transaction(() => {
        files.forEach((row, i) => {
          const result = results[i];
          if (result?.ok && result.audioHash !== null) store.run(result.audioHash, row.id, row.storage_uri);
        });
      })
      .immediate();
  }
}

const pathOf = ({ path, candidate }: Item): string => join(path, candidate.name);

/** A folder that only counts needs no row. */
const isNews = ({ imageChanged, signature, candidates, gone, returned, stillFailed }: FolderBatch): boolean =>
  imageChanged || signature !== null || candidates.length + gone.length + returned.length + stillFailed.length > 0;

function fatalOf(results: ReadResult[], added: number): AppError | undefined {
  const full = results.find((result) => !result.ok && result.fatal);
  return (
    full &&
    new AppError(
      'storage_full',
      `The disk is full. ${added} tracks were added; free some space and scan again to go on.`,
    )
  );
}
