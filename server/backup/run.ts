// Makes one backup: first the database, then the files, at last the manifest that completes the snapshot. After a kill,
// a cancel or a full disk, the next run finds what was stored already. What cannot be read does not stop it: the
// snapshot names it, and the next one tries again.
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
import { contentsOf, countContents, type Content } from './contents.ts';
import { withLease, type Lease, type LeaseOptions } from './lease.ts';
import { snapshotTime, toSnapshotId, type FileLine, type Keys, type Manifest, type OwnLine } from './manifest.ts';
import { SourceProblem } from './object-source.ts';
import { prune, type Pruned } from './prune.ts';
import { describeFaults } from './objects.ts';
import { copyOwnFile, notCopied, stoppable } from './referenced-files.ts';
import { forEachConcurrently } from '../runtime/concurrency.ts';
import type { Repository } from './repository.ts';
import { copyDatabase } from './snapshot-thread.ts';
import type { BackupResult } from './wire.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';

/** A change of one page uploads one leaf, and the list of those of its segment. */
const SEGMENT_BYTES = 1 << 20;
const LEAF_BYTES = 16 << 10;
const AT_ONCE = 4;
/** For threads that read so many small files in some milliseconds. */
const AT_ONCE_LOCALLY = 128;
const SHOWN = 20;
/** With more to copy, a snapshot with the database and what is there is written first. */
const MUCH_BYTES = 1e9;
const CLOCK_SLACK_MS = 24 * 3_600_000;

export interface BackupSource {
  storage: Storage;
  leases: Pick<Leases, 'leaseAll'>;
  databasePath: string;
  tmpDir: string;
  workerUrl: URL;
  blobWorkerUrl: URL;
  /** The music folders, if their files are to be copied. */
  ownFiles: MusicRoots | undefined;
  settings: Record<string, unknown>;
  keys: Keys | null;
  version: string;
  /** Null: no snapshot is deleted. */
  keep: { daily: number; weekly: number } | null;
  now: () => Date;
}

export interface Run {
  signal: AbortSignal;
  progress: (done: number, total: number | null, message?: string) => void;
  /** Otherwise it fails, after the snapshot is written, when the library's store was down meanwhile. */
  isLastTry?: boolean;
}

/**
 * No object of the library is deleted meanwhile, and no other server writes to the backup. Throws `unavailable` when
 * one does.
 */
export const backUp = (
  repo: Repository,
  source: BackupSource,
  run: Run,
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

/** In a repository that is prepared and leased. `faults`: what was found to be wrong with it. */
export const backUpPrepared = (
  repo: Repository,
  source: BackupSource,
  { signal, ...run }: Run,
  lease: Lease,
  faults: readonly string[] = [],
): Promise<BackupResult> =>
  source.leases.leaseAll(() =>
    backUpLeased(repo, source, { ...run, signal: AbortSignal.any([signal, lease.signal]) }, lease, faults),
  );

async function backUpLeased(
  repo: Repository,
  source: BackupSource,
  run: Run,
  lease: Lease,
  faults: readonly string[],
): Promise<BackupResult> {
  const { signal, progress, isLastTry = true } = run;
  const begun = source.now();
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
    const files = filesOf({ repo, source, copy, threads }, run);
    if ((await files.bytesToCopy()) > MUCH_BYTES) await complete(await files.list());
    const stored = await files.store();
    const { manifest, isClockBehind } = await complete(stored);
    const result: BackupResult = {
      target: repo.name,
      backup_id: repo.id,
      snapshot: manifest.id,
      ...manifest.counts,
      ...stored.result,
      mended_items: faults.slice(0, SHOWN),
      ...(await tidy(manifest.id, isClockBehind)),
    };
    if (stored.isStoreDown && !isLastTry)
      throw new AppError(
        'unavailable',
        `The library's storage cannot be reached. Snapshot ${manifest.id} has everything but ` +
          `${manifest.counts.absent} files, which are tried again.`,
      );
    return result;

    function tidy(id: string, isClockBehind: boolean): Pruned | Promise<Pruned> {
      const { keep, now } = source;
      if (keep === null || isClockBehind) return notPruned(keep === null ? null : id);
      return prune(repo, { keep, now, written: id }, { signal, lease });
    }

    async function complete({ lists, counts }: Pick<Stored, 'lists' | 'counts'>) {
      await repo.objects.flush();
      const { id, isClockBehind } = await freeId(repo, begun);
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
    for (const ending of ['', '-journal', '-wal', '-shm']) await rm(copy + ending, { force: true });
  }
}

/** Ids sort by time, and the newest is restored by default; so this one is later than all others whatever the clock. */
async function freeId(repo: Repository, begun: Date): Promise<{ id: string; isClockBehind: boolean }> {
  const [newest] = await repo.snapshotIds();
  const last = newest === undefined ? -Infinity : snapshotTime(newest).getTime();
  return {
    id: toSnapshotId(new Date(Math.max(begun.getTime(), last + 1))),
    isClockBehind: last - begun.getTime() > CLOCK_SLACK_MS,
  };
}

/** As a list of segments, which are lists of leaves. */
async function storeDatabase(repo: Repository, copy: string, signal: AbortSignal): Promise<Manifest['database']> {
  const { has, putBytes, putList } = repo.objects;
  const whole = createHash('sha256');
  const segments: string[] = [];
  let size = 0;
  const chunks = createReadStream(copy, { highWaterMark: SEGMENT_BYTES }) as AsyncIterable<Buffer>;
  for await (const segment of stoppable(chunks, signal)) {
    whole.update(segment);
    size += segment.length;
    const hash = hashOf('sha256', segment);
    segments.push(hash);
    if (has(hash, segment.length)) continue;
    const leaves: string[] = [];
    for (let at = 0; at < segment.length; at += LEAF_BYTES)
      leaves.push(await putBytes(segment.subarray(at, at + LEAF_BYTES)));
    await putList(hash, segment.length, leaves);
    await nextTurn();
  }
  const sha256 = whole.digest('hex');
  if (!has(sha256, size)) await putList(sha256, size, segments);
  return { size, sha256 };
}

interface Stored {
  lists: Manifest['lists'];
  counts: Manifest['counts'];
  result: Pick<BackupResult, 'added' | 'bytes_added' | 'problems'>;
  /** Some files were not tried. */
  isStoreDown: boolean;
}

interface FilesDeps {
  repo: Repository;
  source: BackupSource;
  /** Of the database. */
  copy: string;
  threads: BlobThreads;
}

function filesOf({ repo, source, copy, threads }: FilesDeps, { signal, progress }: Run) {
  type StoredContent = Extract<Content, { kind: 'stored' }>;
  type Outcome = { line: FileLine; bytes: number };
  const atOnce = source.storage.folder === null ? AT_ONCE : AT_ONCE_LOCALLY;

  async function bytesToCopy(): Promise<number> {
    let bytes = 0;
    for await (const { kind, hash, size } of contentsOf(copy))
      if (kind === 'stored' && !repo.has(hash, size)) bytes += size ?? 0;
    return bytes;
  }

  /** Stores what is not there yet, unless `isOnlyListed`. */
  async function goThrough(isOnlyListed: boolean): Promise<Stored> {
    const { tracks, audio, covers } = countContents(copy);
    const counts: Manifest['counts'] = { tracks, files: 0, covers: 0, referenced: 0, absent: 0, mended: 0, bytes: 0 };
    const stored: Stored = {
      lists: [],
      counts,
      result: { added: 0, bytes_added: 0, problems: [] },
      isStoreDown: false,
    };
    const known = source.ownFiles === undefined ? new Map<string, OwnLine>() : await ownFilesOf(repo);
    let done = 0;
    for await (const contents of onOneList(contentsOf(copy))) {
      const lines: FileLine[] = [];
      await forEachConcurrently(contents.entries(), atOnce, async ([n, content]) => {
        signal.throwIfAborted();
        const { line, bytes } = content.kind === 'stored' ? await storeObject(content) : await storeOwn(content);
        lines[n] = line;
        note(content, line, bytes);
        progress(++done, Math.max(done, audio + covers), 'Copying audio and covers');
        await yieldIfDue();
      });
      const text = lines.map((line) => JSON.stringify(line)).join('\n');
      stored.lists.push({ sha256: await repo.objects.putBytes(Buffer.from(text), 'meta'), lines: lines.length });
    }
    return stored;

    function note(content: Content, line: FileLine, bytes: number): void {
      if (bytes > 0) stored.result.added++;
      stored.result.bytes_added += bytes;
      counts.bytes += line.size ?? bytes;
      if (line.kind === 'own') counts.referenced++;
      else counts[content.kind === 'stored' && content.what === 'cover' ? 'covers' : 'files']++;
      const problem =
        line.kind === 'stored'
          ? line.isAbsent && `${line.key}: ${line.reason}`
          : source.ownFiles !== undefined && !line.isCopied && `${line.path}: cannot be read`;
      if (typeof problem !== 'string') return;
      counts.absent++;
      if (stored.result.problems.length < SHOWN) stored.result.problems.push(problem);
    }

    async function storeObject({ key, hash, size }: StoredContent, isAgain = false): Promise<Outcome> {
      // the same line as when it was stored, so that a lost list can be made again
      const known = size ?? repo.objects.find(hash)?.size ?? null;
      if (repo.has(hash, size)) return { line: { kind: 'stored', key, hash, size: known }, bytes: 0 };
      const absent = (reason: string): Outcome => ({
        line: { kind: 'stored', key, hash, size, isAbsent: true, reason },
        bytes: 0,
      });
      if (isOnlyListed) return absent('not copied yet');
      if (stored.isStoreDown) return absent('the storage cannot be reached');
      try {
        const bytes = (await putByThread(key, hash, size)) ?? (await putHere(key, hash));
        return { line: { kind: 'stored', key, hash, size: size ?? bytes }, bytes };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof SourceProblem)) throw error;
        if (!isOutOfReach(error.cause, source.storage)) return absent(error.message);
        stored.isStoreDown ||= !(await source.storage.isUp());
        return isAgain || stored.isStoreDown
          ? absent(error.message)
          : storeObject({ list: '', kind: 'stored', what: 'audio', key, hash, size }, true);
      }
    }

    async function putByThread(key: string, hash: string, size: number | null): Promise<number | undefined> {
      const path = source.storage.localPath(key);
      return path === undefined
        ? undefined
        : repo.objects.putRead(hash, threads.read({ path, hash }, size ?? undefined));
    }

    /** Throws SourceProblem with what is wrong with a file. */
    function putHere(key: string, hash: string): Promise<number> {
      return repo.objects.put(hash, stoppable(bytesOf(source.storage, key), signal));
    }

    async function storeOwn(file: Extract<Content, { kind: 'own' }>): Promise<Outcome> {
      if (source.ownFiles === undefined || isOnlyListed)
        return { line: known.get(file.path) ?? notCopied(file), bytes: 0 };
      return copyOwnFile({ repo, folders: source.ownFiles, known }, file, signal);
    }
  }

  return { bytesToCopy, list: () => goThrough(true), store: () => goThrough(false) };
}

async function* onOneList(contents: AsyncIterable<Content>): AsyncGenerator<Content[]> {
  let held: Content[] = [];
  for await (const content of contents) {
    if (held.length > 0 && held[0]?.list !== content.list) {
      yield held;
      held = [];
    }
    held.push(content);
  }
  if (held.length > 0) yield held;
}

/** The next attempt may succeed. */
const isOutOfReach = (cause: unknown, { backend }: Pick<Storage, 'backend'>): boolean =>
  backend.mayBeDown && cause instanceof AppError && cause.code === 'unavailable';

async function* bytesOf(storage: Storage, key: string): AsyncGenerator<Buffer> {
  for await (const chunk of (await storage.open(key)).stream as AsyncIterable<Buffer>) {
    yield chunk;
    await yieldIfDue();
  }
}

async function ownFilesOf(repo: Repository): Promise<Map<string, OwnLine>> {
  const known = new Map<string, OwnLine>();
  const [newest] = await repo.snapshotIds();
  if (newest === undefined) return known;
  try {
    for await (const line of repo.readFiles(await repo.readSnapshot(newest)))
      if (line.kind === 'own' && line.isCopied) known.set(line.path, line);
  } catch {
    known.clear(); // with a damaged snapshot all files are read again
  }
  return known;
}

/** With a wrong clock it is unknown which snapshots are old: `id` is this one, if so. */
const notPruned = (id: string | null): Pruned => ({
  snapshots_deleted: 0,
  objects_deleted: 0,
  tidy_problem:
    id &&
    `The newest snapshot is dated in the future, so this one was dated after it (${id}) and no old snapshots were ` +
      'deleted. Correct the clock, or delete that snapshot.',
});
