// Makes one backup, from copying the database to writing the manifest that completes the snapshot. After a kill, a
// cancel or a full disk, the next run finds the objects that were already stored.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import type { YieldToRequests } from '../jobs/yield-to-requests.ts';
import type { MusicRoots } from '../storage/music-roots.ts';
import type { Leases } from '../storage/leases.ts';
import type { Storage } from '../storage/storage.ts';
import { contentsOf, countContents, type Content } from './contents.ts';
import { snapshotTime, toSnapshotId, type FileLine, type Keys, type Manifest, type OwnLine } from './manifest.ts';
import { copyOwnFile, notCopied } from './referenced-files.ts';
import { eachAtOnce } from '../runtime/at-once.ts';
import { SourceProblem, type Repository } from './repository.ts';
import { snapshotsToKeep } from './retention.ts';
import { copyDatabase } from './snapshot-thread.ts';
import type { BackupResult } from './wire.ts';

const DATABASE_PIECE = 4 << 20;
const LINES_PER_LIST = 10_000;
const AT_ONCE = 6;
const SHOWN = 20;
/** Younger objects may belong to an interrupted backup that will be resumed. */
const GRACE_MS = 24 * 3_600_000;
const CLOCK_SLACK_MS = 24 * 3_600_000;

export interface BackupSource {
  storage: Storage;
  leases: Pick<Leases, 'leaseAll'>;
  databasePath: string;
  tmpDir: string;
  workerUrl: URL;
  /** The music folders, if their files are to be copied. */
  ownFiles: MusicRoots | undefined;
  settings: Record<string, unknown>;
  keys: Keys | null;
  version: string;
  keep: { daily: number; weekly: number };
  now: () => Date;
}

export interface Run {
  signal: AbortSignal;
  progress: (done: number, total: number | null, message?: string) => void;
  /** Absent outside of the server. */
  yieldToRequests?: YieldToRequests;
  /** Whether an object that the object store fails to deliver is listed as absent, or fails this attempt. */
  isLastTry?: boolean;
}

/** No object of the library is deleted meanwhile. */
export const backUp = (repo: Repository, source: BackupSource, run: Run): Promise<BackupResult> =>
  source.leases.leaseAll(() => backUpLeased(repo, source, run));

async function backUpLeased(repo: Repository, source: BackupSource, run: Run): Promise<BackupResult> {
  const { signal, progress } = run;
  const begun = source.now();
  const copy = join(source.tmpDir, `backup-${randomBytes(6).toString('hex')}.db`);
  await mkdir(source.tmpDir, { recursive: true });
  try {
    progress(0, null, 'Copying the database');
    await copyDatabase({
      workerUrl: source.workerUrl,
      from: source.databasePath,
      to: copy,
      signal,
      onProgress: (done, total) => progress(done, total, 'Copying the database'),
    });
    progress(0, null, 'Listing the backup');
    await repo.list();
    const database = await storeDatabase(repo, copy, signal);
    const files = await storeFiles(repo, source, copy, run);
    const { id, isClockBehind } = await freeId(repo, begun);
    const manifest: Manifest = {
      format: 1,
      id,
      app_version: source.version,
      database,
      lists: files.lists,
      settings: source.settings,
      keys: source.keys,
      counts: files.counts,
    };
    signal.throwIfAborted();
    await repo.writeSnapshot(manifest);
    return {
      target: repo.name,
      backup_id: repo.id,
      snapshot: manifest.id,
      ...manifest.counts,
      ...files.result,
      ...(await (isClockBehind ? notPruned(id) : prune(repo, source, signal))),
    };
  } finally {
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

async function storeDatabase(repo: Repository, copy: string, signal: AbortSignal): Promise<Manifest['database']> {
  const whole = createHash('sha256');
  const pieces: string[] = [];
  let size = 0;
  for await (const chunk of createReadStream(copy, { highWaterMark: DATABASE_PIECE }) as AsyncIterable<Buffer>) {
    signal.throwIfAborted();
    whole.update(chunk);
    size += chunk.length;
    pieces.push(await repo.putBytes(chunk, signal));
  }
  return { size, sha256: whole.digest('hex'), pieces };
}

async function storeFiles(
  repo: Repository,
  source: BackupSource,
  copy: string,
  { signal, progress, yieldToRequests = () => undefined, isLastTry = true }: Run,
) {
  const { tracks, audio, covers } = countContents(copy);
  const counts: Manifest['counts'] = { tracks, files: 0, covers: 0, referenced: 0, absent: 0, bytes: 0 };
  const result = { added: 0, bytes_added: 0, problems: [] as string[] };
  const lists: Manifest['lists'] = [];
  const known = source.ownFiles === undefined ? new Map<string, OwnLine>() : await ownFilesOf(repo);
  let lines: string[] = [];
  let done = 0;

  async function closeList(): Promise<void> {
    const full = lines;
    lines = [];
    if (full.length > 0)
      lists.push({ sha256: await repo.putBytes(Buffer.from(full.join('\n')), signal), lines: full.length });
  }

  await eachAtOnce(contentsOf(copy), AT_ONCE, async (content) => {
    signal.throwIfAborted();
    const { line, bytes } = content.kind === 'stored' ? await storeObject(content) : await storeOwn(content);
    if (bytes > 0) result.added++;
    result.bytes_added += bytes;
    counts.bytes += line.size ?? bytes;
    if (line.kind === 'own') counts.referenced++;
    else counts[content.kind === 'stored' && content.what === 'cover' ? 'covers' : 'files']++;
    lines.push(JSON.stringify(line));
    if (lines.length >= LINES_PER_LIST) await closeList();
    progress(++done, Math.max(done, audio + covers), 'Copying audio and covers');
    await yieldToRequests();
  });
  await closeList();
  return { lists, counts, result };

  async function storeObject({
    key,
    hash,
    size,
  }: Extract<Content, { kind: 'stored' }>): Promise<{ line: FileLine; bytes: number }> {
    if (repo.has(hash, size)) return { line: { kind: 'stored', key, hash, size }, bytes: 0 };
    try {
      const bytes = await repo.put(hash, bytesOf(source.storage, key, yieldToRequests), signal);
      return { line: { kind: 'stored', key, hash, size: bytes }, bytes };
    } catch (error) {
      if (!(error instanceof SourceProblem)) throw error;
      if (isOnlyOutOfReach(error.cause, source.storage) && (!isLastTry || result.problems.length >= SHOWN))
        throw error.cause;
      if (!(await source.storage.isUp())) throw error.cause; // the storage is down, so the file is not lost
      counts.absent++;
      if (result.problems.length < SHOWN) result.problems.push(`${key}: ${error.message}`);
      return { line: { kind: 'stored', key, hash, size, isAbsent: true }, bytes: 0 };
    }
  }

  async function storeOwn(file: Extract<Content, { kind: 'own' }>): Promise<{ line: FileLine; bytes: number }> {
    if (source.ownFiles === undefined) return { line: notCopied(file), bytes: 0 };
    const stored = await copyOwnFile({ repo, folders: source.ownFiles, known }, file, signal);
    if (!stored.line.isCopied) {
      counts.absent++;
      if (result.problems.length < SHOWN) result.problems.push(`${file.path}: cannot be read`);
    }
    return stored;
  }
}

/** The next attempt may succeed. */
const isOnlyOutOfReach = (cause: unknown, { backend }: Pick<Storage, 'backend'>): boolean =>
  backend.mayBeDown && cause instanceof AppError && cause.code === 'unavailable';

async function* bytesOf(storage: Storage, key: string, yieldToRequests: YieldToRequests): AsyncGenerator<Buffer> {
  for await (const chunk of (await storage.open(key)).stream as AsyncIterable<Buffer>) {
    yield chunk;
    await yieldToRequests();
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

type Pruned = Pick<BackupResult, 'snapshots_deleted' | 'objects_deleted' | 'tidy_problem'>;

/** With a wrong clock it is unknown which snapshots are old. */
const notPruned = (id: string): Pruned => ({
  snapshots_deleted: 0,
  objects_deleted: 0,
  tidy_problem:
    `The newest snapshot is dated in the future, so this one was dated after it (${id}) and no old snapshots were ` +
    'deleted. Correct the clock, or delete that snapshot.',
});

/** Deletes old snapshots and the objects that no other needs. An error here does not fail the backup. */
async function prune(repo: Repository, { keep, now }: BackupSource, signal: AbortSignal): Promise<Pruned> {
  let deleted = 0;
  try {
    const ids = await repo.snapshotIds();
    const kept = new Set(snapshotsToKeep(ids, keep));
    for (const id of ids) if (!kept.has(id) && (await repo.deleteSnapshot(id))) deleted++;
    return {
      snapshots_deleted: deleted,
      objects_deleted: await repo.collect(new Date(now().getTime() - GRACE_MS), signal),
      tidy_problem: null,
    };
  } catch (error) {
    return {
      snapshots_deleted: deleted,
      objects_deleted: 0,
      tidy_problem: error instanceof Error ? error.message : String(error),
    };
  }
}
