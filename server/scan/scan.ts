// A scan of the music folder. Groups of files pass through its stages, some groups at a time:
//
//   walk → plan → read → store → identify → write
//
// and when all rows are written, large files are hashed and files adopted by their fingerprint. What a scan wrote stays
// when it is cancelled or killed; the next scan goes on, because a file is known once its row is written.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { AppError, DISK_FULL, isDiskFull } from '../errors.ts';
import { findMusicFolder } from '../files/music-folder.ts';
import { nameOfMark } from '../files/lyrics-files.ts';
import type { ReaderPool } from '../files/reader-pool.ts';
import type { ReadResult } from '../files/reader-worker.ts';
import { join } from '../files/relative-path.ts';
import type { TrackWriter } from '../library/track-writer.ts';
import { eachAtOnce } from '../runtime/at-once.ts';
import { createHeapLimit } from '../runtime/heap-limits.ts';
import type { Storage } from '../storage/storage.ts';
import type { AdoptByFingerprint } from './adopt-by-fingerprint.ts';
import { changesRows, type ListedFile } from './compare-folder.ts';
import type { ScanOp } from './decide.ts';
import { createDryRun } from './dry-run.ts';
import { hashLargeFiles } from './hash-large-files.ts';
import { createMovedFiles } from './moved-files.ts';
import { createProgress } from './progress.ts';
import { standingFolders } from './scan-folders.ts';
import { countsOf, createScanRecord, recordFoundByFingerprint, recordWalked } from './scan-record.ts';
import { createCopies, type ReadFile } from './store-copies.ts';
import type { Walker } from './walker.ts';
import type { ScanProgress, ScanResult } from './wire.ts';
import { createWriteQueue } from './write-queue.ts';
import { createScanWriter, type ScanWriterDeps } from './writer.ts';

export const LOCAL_FOLDER = 'local_folder';

const GROUP_FILES = 64;
const GROUPS_AT_ONCE = 4;
/** The longest batch of rows while people use the server, and while nobody does. */
const BATCH_MS = { busy: 10, quiet: 30 };

export interface ScanDeps {
  db: MainDb;
  databasePath: string;
  tracks: TrackWriter;
  trash: ScanWriterDeps['trash'];
  reader: ReaderPool;
  walker: Walker;
  now: () => Date;
  storage: Pick<Storage, 'backend' | 'folder' | 'putAudio'>;
  /** Called for audio that a changed file replaced; it may still belong to another track. */
  releaseAudio: (storageUris: string[]) => Promise<void>;
  adoptByFingerprint: AdoptByFingerprint;
  /** A request was answered within the last second: rows are then written in shorter batches. */
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

/**
 * Throws an AppError when the folder is not there, or is empty and was not before (nothing is marked missing then), and
 * when the disk is full.
 */
export async function scan(deps: ScanDeps, options: ScanOptions): Promise<ScanResult> {
  try {
    return await runScan(await prepare(deps, options));
  } catch (error) {
    throw isDiskFull(error) ? new AppError('storage_full', DISK_FULL, { cause: error }) : error;
  }
}

type Scan = Awaited<ReturnType<typeof prepare>>;

/** What the stages of one scan work with. */
async function prepare(deps: ScanDeps, options: ScanOptions) {
  const { db, now, tracks, trash, storage } = deps;
  const { importPath: root, dryRun, signal } = options;
  const startedAt = now().getTime();
  await findMusicFolder(db, root);
  const folders = await standingFolders(root, options.folders);
  const copies = options.mode === 'copy' && !dryRun;
  const record = createScanRecord();
  const preview = dryRun ? createDryRun({ db, source: LOCAL_FOLDER, record }) : undefined;
  return {
    ...deps,
    ...options,
    root,
    startedAt,
    folders,
    record,
    preview,
    rows: createWriteQueue({
      writeBatch: preview?.plan ?? createScanWriter({ db, tracks, trash, storage, source: LOCAL_FOLDER, record, now }),
      batchMs: () => (deps.isServing() ? BATCH_MS.busy : BATCH_MS.quiet),
      relieve: deps.relieve,
      onCommit: options.onCommit,
    }),
    moved: createMovedFiles({ db, root, source: LOCAL_FOLDER, displaced: record.displaced }),
    copyTo: copies ? storage.folder : null,
    sendCopies: copies && storage.folder === null ? createCopies({ storage, root, signal }) : undefined,
    progress: createProgress(record, options.onProgress),
    heap: createHeapLimit(),
    newestBefore: newestTrack(db),
  };
}

async function runScan(scan: Scan): Promise<ScanResult> {
  const { rows, progress, heap } = scan;
  if (scan.newestBefore === 0) scan.reader.warm(); // a first scan: there will be files to read
  try {
    await eachAtOnce(walk(scan), GROUPS_AT_ONCE, async (group) => {
      await rows.hasRoom();
      const { ops, toRead } = await plan(scan, group);
      rows.push(ops);
      const stored = await store(scan, await read(scan, toRead));
      rows.push(await identify(scan, stored));
      scan.record.read += group.length;
      progress.report();
    });
    await rows.empty();
    progress.hashing();
    if (scan.mode === 'reference' && !scan.dryRun) await hashLargeFiles({ ...scan, source: LOCAL_FOLDER });
    if (!scan.dryRun) await adopt(scan);
  } finally {
    heap.release();
    await rows.empty(); // what was read is kept, also when the scan is cancelled
  }
  if (scan.record.replaced.length > 0) await scan.releaseAudio(scan.record.replaced);
  return report(scan);
}

/** Gives the files that have to be looked at, in groups. What else a folder has to say is written by itself. */
async function* walk({ walker, record, rows, progress, signal, ...scan }: Scan): AsyncGenerator<ListedFile[]> {
  const { root, folders, restore, databasePath } = scan;
  const walking = walker.start({ root, folders, restore, databasePath, source: LOCAL_FOLDER });
  try {
    for await (const { batches, current } of walking.messages(signal)) {
      signal.throwIfAborted();
      let group: ListedFile[] = [];
      for (const found of batches) {
        recordWalked(record, found);
        const { candidates, ...batch } = found;
        if (changesRows(found)) rows.push([{ kind: 'folder', batch, files: candidates.length }]);
        for (const candidate of candidates) {
          group.push({ path: batch.path, candidate });
          if (group.length < GROUP_FILES) continue;
          yield group;
          walking.credit(group.length);
          group = [];
        }
      }
      if (group.length > 0) yield group; // what was found so far is read while the walk goes on
      walking.credit(group.length);
      progress.report(current);
    }
    signal.throwIfAborted();
    progress.walked();
  } finally {
    walking.end();
  }
}

/** Files that only moved are known already; the others have to be read. */
async function plan({ moved, restore }: Scan, group: ListedFile[]): Promise<{ ops: ScanOp[]; toRead: ListedFile[] }> {
  const known = await moved.byFile(group);
  const ops: ScanOp[] = [];
  const toRead = group.filter((file, i) => {
    const same = known[i];
    if (!same || ('deletedFrom' in same && restore)) return true;
    if ('trackId' in same) ops.push({ kind: 'moved', ...file, trackId: same.trackId });
    else ops.push({ kind: 'deleted', ...file, from: same.deletedFrom });
    return false;
  });
  return { ops, toRead };
}

/** Reads tags, and in copy mode copies or hashes the file. A bad file is a result; a full disk ends the scan. */
async function read(scan: Scan, files: ListedFile[]): Promise<ReadFile[]> {
  const results = await scan.reader.read({
    root: scan.root,
    paths: files.map(({ path, candidate: { name, sizeBytes, mtimeUs, dev, lyricsMark } }) => ({
      path: join(path, name),
      sizeBytes,
      mtimeUs,
      dev,
      lyrics: lyricsMark && join(path, nameOfMark(lyricsMark)),
    })),
    copyTo: scan.copyTo,
    named: scan.sendCopies !== undefined,
    hashLarge: scan.mode === 'copy', // in one go with the copy
  });
  scan.heap.hold(); // only now, when the reading thread has loaded its code
  if (results.some((result) => !result.ok && result.fatal))
    throw new AppError(
      'storage_full',
      `The disk is full. ${scan.record.added} tracks were added; free some space and scan again to go on.`,
    );
  return files.map((file, i) => ({ ...file, result: results[i] as ReadResult }));
}

/** Where the storage is a folder, the reading thread has copied the files already. */
const store = async ({ sendCopies }: Scan, files: ReadFile[]): Promise<ReadFile[]> => sendCopies?.(files) ?? files;

/** Files in places that were not known may be tracks whose files are gone. */
async function identify({ moved }: Scan, files: ReadFile[]): Promise<ScanOp[]> {
  const fresh = files.flatMap(({ path, candidate, result }) =>
    result.ok && (candidate.known?.trackId ?? null) === null ? [{ path, candidate, read: result }] : [],
  );
  const matches = await moved.byContent(fresh);
  const adopted = new Map(fresh.map(({ candidate }, i) => [candidate, matches[i]]));
  return files.map((file): ScanOp => ({ kind: 'file', ...file, adopt: adopted.get(file.candidate) }));
}

async function adopt({ adoptByFingerprint, root, newestBefore, signal, record }: Scan): Promise<void> {
  const found = await adoptByFingerprint({ root, source: LOCAL_FOLDER, after: newestBefore, signal });
  recordFoundByFingerprint(record, found);
}

const report = ({ root, folders, dryRun, preview, record, now, startedAt }: Scan): ScanResult => ({
  path: root,
  folders,
  dry_run: dryRun,
  changes: preview?.changes() ?? null,
  ...countsOf(record),
  duration_ms: now().getTime() - startedAt,
});

const newestTrack = (db: MainDb): TrackId =>
  db.$client.prepare<[], TrackId>('SELECT coalesce(max(id), 0) FROM tracks').pluck().get() as TrackId;
