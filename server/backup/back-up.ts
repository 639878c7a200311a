// Makes one backup: first the database, then the files, finally the manifest that completes the snapshot. After a kill,
// a cancel or a full disk, the next run finds what is stored already. Unreadable files do not stop the backup: the
// snapshot names them, and the next backup tries again.
import { createHash, hash as hashOf, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import type { MusicRoots } from '../storage/music-roots.ts';
import type { Leases } from '../storage/leases.ts';
import type { Storage } from '../storage/storage.ts';
import { createBlobThreads, type BlobThreads } from './blob-threads.ts';
import { listLibraryFiles, countLibraryFiles, type LibraryFile } from './library-files.ts';
import { withLease, type Lease, type LeaseOptions } from './lease.ts';
import { snapshotTime, toSnapshotId, type FileLine, type Keys, type Manifest, type OwnLine } from './manifest.ts';
import { SourceError } from './object-source.ts';
import { prune, type PruneResult } from './prune.ts';
import { describeFaults } from './objects.ts';
import { copyOwnFile, toUncopiedLine, stopOnAbort } from './referenced-files.ts';
import { forEachConcurrently } from '../runtime/concurrency.ts';
import type { Repository } from './repository.ts';
import { copyDatabase } from './snapshot-thread.ts';
import type { BackupResult } from './wire.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';

/**
 * The database is stored in leaves, grouped in segments. For a changed page, only one leaf and the list of the leaves
 * of its segment are uploaded.
 */
const SEGMENT_BYTES = 1 << 20;
const LEAF_BYTES = 16 << 10;
const MAX_CONCURRENT_FILES = 4;
/** With this many files at once, the threads are busy for a few milliseconds even if the files are small. */
const MAX_CONCURRENT_LOCAL_FILES = 128;
const MAX_LISTED_PROBLEMS = 20;
/** If more bytes are to be copied, a first snapshot without the new files is written before them. */
const MIN_FIRST_SNAPSHOT_BYTES = 1e9;
const MAX_CLOCK_DIFFERENCE_MS = 24 * 3_600_000;

export interface BackupSource {
  storage: Storage;
  leases: Pick<Leases, 'leaseAll'>;
  databasePath: string;
  tmpDir: string;
  workerUrl: URL;
  blobWorkerUrl: URL;
  /** The music folders, if their files are copied; otherwise undefined. */
  ownFiles: MusicRoots | undefined;
  settings: Record<string, unknown>;
  keys: Keys | null;
  version: string;
  /** The numbers of daily and weekly snapshots that are kept. With null no snapshot is deleted. */
  retention: { daily: number; weekly: number } | null;
  now: () => Date;
}

export interface BackupRun {
  signal: AbortSignal;
  progress: (done: number, total: number | null, message?: string) => void;
  /**
   * Whether to succeed although the library's store was down during the backup. If false, the backup fails after
   * writing the snapshot, and is tried again.
   */
  isLastTry?: boolean;
}

/**
 * Makes a backup. Meanwhile no object of the library is deleted, and no other server writes to the backup. Throws
 * `unavailable` when another server does.
 */
export const backUp = (
  repo: Repository,
  source: BackupSource,
  run: BackupRun,
  limits?: LeaseOptions['limits'],
): Promise<BackupResult> =>
  withLease(repo.target, leaseOptions(source, limits), async (lease) => {
    const faults = describeFaults(await repo.prepare());
    await repo.finishSnapshots();
    return backUpPrepared(repo, source, run, lease, faults);
  });

export const leaseOptions = (
  { databasePath, now }: Pick<BackupSource, 'databasePath' | 'now'>,
  limits?: LeaseOptions['limits'],
): LeaseOptions => ({ folder: dirname(databasePath), now, ...(limits && { limits }) });

/** Makes a backup in a prepared and leased repository. `faults` are the errors that were found in the repository. */
export const backUpPrepared = (
  repo: Repository,
  source: BackupSource,
  { signal, ...run }: BackupRun,
  lease: Lease,
  faults: readonly string[] = [],
): Promise<BackupResult> =>
  source.leases.leaseAll(() =>
    backUpLeased(repo, source, { ...run, signal: AbortSignal.any([signal, lease.signal]) }, lease, faults),
  );

async function backUpLeased(
  repo: Repository,
  source: BackupSource,
  run: BackupRun,
  lease: Lease,
  faults: readonly string[],
): Promise<BackupResult> {
  const { signal, progress, isLastTry = true } = run;
  const startedAt = source.now();
  const copy = join(source.tmpDir, `backup-${randomBytes(6).toString('hex')}.db`);
  await mkdir(source.tmpDir, { recursive: true });
  const threads = createBlobThreads({ workerUrl: source.blobWorkerUrl, key: repo.objects.key, signal });
  try {
    progress(0, null, 'Copying the database');
    await copyDatabase({
      workerUrl: source.workerUrl,
      from: source.databasePath,
      to: copy,
      signal,
      onProgress: (done, total) => progress(done, total, 'Copying the database'),
    });
    const database = await storeDatabase(repo, copy, signal);
    const files = createFileCopier({ repo, source, copy, threads }, run);
    if ((await files.bytesToCopy()) > MIN_FIRST_SNAPSHOT_BYTES) await complete(await files.list());
    const filesResult = await files.store();
    const { manifest, isClockBehind } = await complete(filesResult);
    const result: BackupResult = {
      target: repo.name,
      backup_id: repo.id,
      snapshot: manifest.id,
      ...manifest.counts,
      ...filesResult.result,
      mended_items: faults.slice(0, MAX_LISTED_PROBLEMS),
      ...(await pruneSnapshots(manifest.id, isClockBehind)),
    };
    if (filesResult.isStoreDown && !isLastTry)
      throw new AppError(
        'unavailable',
        `The library's storage cannot be reached. Snapshot ${manifest.id} has everything but ` +
          `${manifest.counts.absent} files, which are tried again.`,
      );
    return result;

    function pruneSnapshots(id: string, isClockBehind: boolean): PruneResult | Promise<PruneResult> {
      const { retention, now } = source;
      if (retention === null || isClockBehind) return withoutPruning(retention === null ? null : id);
      return prune(repo, { retention, now, newestId: id }, { signal, lease });
    }

    async function complete({ lists, counts }: Pick<FilesResult, 'lists' | 'counts'>) {
      await repo.objects.flush();
      const { id, isClockBehind } = await chooseSnapshotId(repo, startedAt);
      const manifest: Manifest = {
        format: 2,
        id,
        app_version: source.version,
        database,
        lists,
        settings: source.settings,
        keys: repo.isEncrypted ? source.keys : null,
        counts: { ...counts, mended: faults.length },
      };
      signal.throwIfAborted();
      await lease.assertHeld();
      await repo.writeSnapshot(manifest);
      return { manifest, isClockBehind };
    }
  } finally {
    await threads.close();
    for (const suffix of ['', '-journal', '-wal', '-shm']) await rm(copy + suffix, { force: true });
  }
}

/**
 * Returns an id that is later than all others, even if the clock is wrong: ids sort by time, and the newest snapshot is
 * restored by default.
 */
async function chooseSnapshotId(repo: Repository, startedAt: Date): Promise<{ id: string; isClockBehind: boolean }> {
  const [newestId] = await repo.snapshotIds();
  const newestTime = newestId === undefined ? -Infinity : snapshotTime(newestId).getTime();
  return {
    id: toSnapshotId(new Date(Math.max(startedAt.getTime(), newestTime + 1))),
    isClockBehind: newestTime - startedAt.getTime() > MAX_CLOCK_DIFFERENCE_MS,
  };
}

/** Stores the database as a list of segments, which are lists of leaves. */
async function storeDatabase(repo: Repository, copy: string, signal: AbortSignal): Promise<Manifest['database']> {
  const { has, putBytes, putList } = repo.objects;
  const databaseHash = createHash('sha256');
  const segments: string[] = [];
  let size = 0;
  const chunks = createReadStream(copy, { highWaterMark: SEGMENT_BYTES }) as AsyncIterable<Buffer>;
  for await (const segment of stopOnAbort(chunks, signal)) {
    databaseHash.update(segment);
    size += segment.length;
    const hash = hashOf('sha256', segment);
    segments.push(hash);
    if (has(hash, segment.length)) continue;
    const leafHashes: string[] = [];
    for (let offset = 0; offset < segment.length; offset += LEAF_BYTES)
      leafHashes.push(await putBytes(segment.subarray(offset, offset + LEAF_BYTES)));
    await putList(hash, segment.length, leafHashes);
    await nextTurn();
  }
  const sha256 = databaseHash.digest('hex');
  if (!has(sha256, size)) await putList(sha256, size, segments);
  return { size, sha256 };
}

interface FilesResult {
  lists: Manifest['lists'];
  counts: Manifest['counts'];
  result: Pick<BackupResult, 'added' | 'bytes_added' | 'problems'>;
  /** Whether the library's store was down, so that some files were not tried. */
  isStoreDown: boolean;
}

interface FilesDeps {
  repo: Repository;
  source: BackupSource;
  /** Path of the copy of the database. */
  copy: string;
  threads: BlobThreads;
}

function createFileCopier({ repo, source, copy, threads }: FilesDeps, { signal, progress }: BackupRun) {
  type StoredFile = Extract<LibraryFile, { kind: 'stored' }>;
  type Outcome = { line: FileLine; bytes: number };
  const maxConcurrent = source.storage.folder === null ? MAX_CONCURRENT_FILES : MAX_CONCURRENT_LOCAL_FILES;

  async function bytesToCopy(): Promise<number> {
    let bytes = 0;
    for await (const { kind, hash, size } of listLibraryFiles(copy))
      if (kind === 'stored' && !repo.has(hash, size)) bytes += size ?? 0;
    return bytes;
  }

  /** Stores the files that the backup lacks. With `isOnlyListed`, only lists them. */
  async function processFiles(isOnlyListed: boolean): Promise<FilesResult> {
    const { tracks, audio, covers } = countLibraryFiles(copy);
    const counts: Manifest['counts'] = { tracks, files: 0, covers: 0, referenced: 0, absent: 0, mended: 0, bytes: 0 };
    const filesResult: FilesResult = {
      lists: [],
      counts,
      result: { added: 0, bytes_added: 0, problems: [] },
      isStoreDown: false,
    };
    const previousLines = source.ownFiles === undefined ? new Map<string, OwnLine>() : await readPreviousLines(repo);
    let done = 0;
    for await (const files of groupByList(listLibraryFiles(copy))) {
      const lines: FileLine[] = [];
      await forEachConcurrently(files.entries(), maxConcurrent, async ([index, file]) => {
        signal.throwIfAborted();
        const { line, bytes } = file.kind === 'stored' ? await storeObject(file) : await storeOwn(file);
        lines[index] = line;
        countFile(file, line, bytes);
        progress(++done, Math.max(done, audio + covers), 'Copying audio and covers');
        await yieldIfDue();
      });
      const text = lines.map((line) => JSON.stringify(line)).join('\n');
      filesResult.lists.push({ sha256: await repo.objects.putBytes(Buffer.from(text), 'meta'), lines: lines.length });
    }
    return filesResult;

    function countFile(file: LibraryFile, line: FileLine, bytes: number): void {
      if (bytes > 0) filesResult.result.added++;
      filesResult.result.bytes_added += bytes;
      counts.bytes += line.size ?? bytes;
      if (line.kind === 'own') counts.referenced++;
      else counts[file.kind === 'stored' && file.fileType === 'cover' ? 'covers' : 'files']++;
      const problem =
        line.kind === 'stored'
          ? line.isAbsent && `${line.key}: ${line.reason}`
          : source.ownFiles !== undefined && !line.isCopied && `${line.path}: cannot be read`;
      if (typeof problem !== 'string') return;
      counts.absent++;
      if (filesResult.result.problems.length < MAX_LISTED_PROBLEMS) filesResult.result.problems.push(problem);
    }

    async function storeObject({ key, hash, size }: StoredFile, isRetry = false): Promise<Outcome> {
      // a line always gets the same size, so that a lost list can be written again with the same hash
      const knownSize = size ?? repo.objects.findBlob(hash)?.size ?? null;
      if (repo.has(hash, size)) return { line: { kind: 'stored', key, hash, size: knownSize }, bytes: 0 };
      const toAbsent = (reason: string): Outcome => ({
        line: { kind: 'stored', key, hash, size, isAbsent: true, reason },
        bytes: 0,
      });
      if (isOnlyListed) return toAbsent('not copied yet');
      if (filesResult.isStoreDown) return toAbsent('the storage cannot be reached');
      try {
        const bytes = (await putWithThread(key, hash, size)) ?? (await putDirectly(key, hash));
        return { line: { kind: 'stored', key, hash, size: size ?? bytes }, bytes };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof SourceError)) throw error;
        if (!isOutOfReach(error.cause, source.storage)) return toAbsent(error.message);
        filesResult.isStoreDown ||= !(await source.storage.isUp());
        return isRetry || filesResult.isStoreDown
          ? toAbsent(error.message)
          : storeObject({ list: '', kind: 'stored', fileType: 'audio', key, hash, size }, true);
      }
    }

    async function putWithThread(key: string, hash: string, size: number | null): Promise<number | undefined> {
      const path = source.storage.localPath(key);
      return path === undefined
        ? undefined
        : repo.objects.putBlobs(hash, threads.read({ path, hash }, size ?? undefined));
    }

    /** Stores a file without the threads. Throws SourceError with the reason if the file cannot be read. */
    function putDirectly(key: string, hash: string): Promise<number> {
      return repo.objects.put(hash, stopOnAbort(bytesOf(source.storage, key), signal));
    }

    async function storeOwn(file: Extract<LibraryFile, { kind: 'own' }>): Promise<Outcome> {
      if (source.ownFiles === undefined || isOnlyListed)
        return { line: previousLines.get(file.path) ?? toUncopiedLine(file), bytes: 0 };
      return copyOwnFile({ repo, folders: source.ownFiles, previousLines }, file, signal);
    }
  }

  return { bytesToCopy, list: () => processFiles(true), store: () => processFiles(false) };
}

async function* groupByList(files: AsyncIterable<LibraryFile>): AsyncGenerator<LibraryFile[]> {
  let group: LibraryFile[] = [];
  for await (const file of files) {
    if (group.length > 0 && group[0]?.list !== file.list) {
      yield group;
      group = [];
    }
    group.push(file);
  }
  if (group.length > 0) yield group;
}

/** Whether the library's store is down, so that the next attempt may succeed. */
const isOutOfReach = (cause: unknown, { backend }: Pick<Storage, 'backend'>): boolean =>
  backend.mayBeDown && cause instanceof AppError && cause.code === 'unavailable';

async function* bytesOf(storage: Storage, key: string): AsyncGenerator<Buffer> {
  for await (const chunk of (await storage.open(key)).stream as AsyncIterable<Buffer>) {
    yield chunk;
    await yieldIfDue();
  }
}

async function readPreviousLines(repo: Repository): Promise<Map<string, OwnLine>> {
  const linesByPath = new Map<string, OwnLine>();
  const [newestId] = await repo.snapshotIds();
  if (newestId === undefined) return linesByPath;
  try {
    for await (const line of repo.readFiles(await repo.readSnapshot(newestId)))
      if (line.kind === 'own' && line.isCopied) linesByPath.set(line.path, line);
  } catch {
    linesByPath.clear(); // if the snapshot is damaged, all files are read again
  }
  return linesByPath;
}

/**
 * The result for a backup that deletes no snapshots: with a wrong clock it is unknown which are old. `id` is the new
 * snapshot if the newest one was dated in the future.
 */
const withoutPruning = (id: string | null): PruneResult => ({
  snapshots_deleted: 0,
  objects_deleted: 0,
  tidy_problem:
    id &&
    `The newest snapshot is dated in the future, so this one was dated after it (${id}) and no old snapshots were ` +
      'deleted. Correct the clock, or delete that snapshot.',
});
