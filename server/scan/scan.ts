// A scan of the music folders. Groups of files pass through its stages, some groups at a time:
//
//   walk → plan → read → store → identify → write
//
// A music folder that would be copied for the first time is walked before that, and refused if it does not fit. Later
// files are refused one by one, and the scan fails at its end.
//
// Files that may be another track than their path says wait for the end of the walk, and are settled together. When all
// rows are written, large files are hashed, and tracks whose files are gone are looked for among the new ones. What a
// scan wrote stays when it is cancelled or killed; the next scan goes on, because a file is known once its row is
// written.
import type { MainDb } from '../db/client.ts';
import type { Hearing } from '../enrichment/hearing.ts';
import { AppError, DISK_FULL, isDiskFull } from '../errors.ts';
import { fileKey } from '../files/file-stamp.ts';
import { nameOfMark } from '../files/lyrics-files.ts';
import { heldMusic } from '../files/music-folder.ts';
import { NEEDS_FFMPEG } from '../files/section-names.ts';
import type { ReaderPool } from '../files/reader-pool.ts';
import type { ReadResult } from '../files/reader-worker.ts';
import { join } from '../files/relative-path.ts';
import type { TrackWriter } from '../library/track-writer.ts';
import { eachAtOnce } from '../runtime/concurrency.ts';
import { inSlices, partsOf, yieldIfDue } from '../runtime/time-slices.ts';
import { createHeapLimit } from '../runtime/heap-limits.ts';
import { keyOfPath, keysOf } from '../storage/music-roots.ts';
import type { Storage } from '../storage/storage.ts';
import { toUri } from '../storage/uri.ts';
import { prepareAlbumCharsets } from './album-charsets.ts';
import { changesRows, type Candidate, type ListedFile } from './compare-folder.ts';
import { createCopyRoom } from './copy-room.ts';
import { hasOnlyOtherLyrics, type DeletedFrom, type ScanOp } from './decide.ts';
import { createDryRun } from './dry-run.ts';
import { refuseFirstCopies } from './first-copies.ts';
import { hashLargeFiles } from './hash-large-files.ts';
import type { FindGone } from './find-gone.ts';
import { createMergedFiles } from './merged-files.ts';
import { createMovedFiles, type NewFile, type Waiting } from './moved-files.ts';
import { createProgress } from './progress.ts';
import { storageFull } from './refusal.ts';
import { standingFolders } from './scan-folders.ts';
import { openScope, type ScopeOptions } from './scan-scope.ts';
import {
  countsOf,
  createScanRecord,
  recordAgain,
  recordFoundAmongNew,
  recordJoined,
  recordRead,
  recordRefused,
  recordWalked,
} from './scan-record.ts';
import type { SeparatedTracks } from './separated-tracks.ts';
import { settle } from './settle.ts';
import { createCopies, type ReadFile } from './store-copies.ts';
import { readLostAgain } from './lost-copies.ts';
import type { WalkFolders } from './walker.ts';
import { createUnfinishedScans } from './unfinished-scans.ts';
import type { ScanProgress, ScanResult } from './wire.ts';
import { createWriteQueue } from './write-queue.ts';
import { createScanWriter, type ScanWriterDeps } from './writer.ts';

export const LOCAL_FOLDER = 'local_folder';

const GROUP_FILES = 64;
const GROUPS_AT_ONCE = 4;
export interface ScanDeps {
  db: MainDb;
  databasePath: string;
  tracks: TrackWriter;
  trash: ScanWriterDeps['trash'];
  divide: ScanWriterDeps['divide'];
  reader: Pick<ReaderPool, 'read' | 'warm'>;
  walkFolders: WalkFolders;
  now: () => Date;
  storage: Pick<Storage, 'backend' | 'folder' | 'putAudio' | 'diskUsage' | 'list' | 'stat'>;
  /** MIN_FREE_BYTES. */
  minFreeBytes: () => number;
  /** Called for audio that a changed file replaced; it may still belong to another track. */
  releaseAudio: (storageUris: string[]) => Promise<void>;
  hearing: Pick<Hearing, 'ofFile' | 'ofKept' | 'like' | 'isLikeDeleted'>;
  findGone: FindGone;
  separated: SeparatedTracks;
  /** The longest batch of rows. */
  batchMs: () => number;
  /** Resolves when the database's log is short enough to write on. */
  relieve: () => Promise<void>;
  /** There is ffmpeg, to send parts of a file. */
  canSplit: () => Promise<boolean>;
}

export interface ScanOptions extends ScopeOptions {
  restore: boolean;
  /** Also read files that look as they did. */
  reread?: boolean;
  /** Only tell what would change: nothing is copied, and no row is written. */
  dryRun: boolean;
  signal: AbortSignal;
  onProgress: (progress: Omit<ScanProgress, 'job_id'>) => void;
  /** Rows were written. */
  onCommit: () => void;
}

/**
 * Throws an AppError when none of the music folders is there, or not empty where it held music before (nothing is
 * marked missing then), when the disk is full, and after all other work when files were not copied because they do not
 * fit.
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
  const { db, now, tracks, trash, divide, storage } = deps;
  const { roots: root, musicFolders, dryRun, restore, signal } = options;
  const startedAt = now().getTime();
  const { offline, closed, isWhole, ...scope } = await openScope(db, options);
  const folders = await standingFolders(root, scope.folders);
  const keys = keysOf(root);
  const keyAt = (path: string): string => keyOfPath(keys, path);
  const modes = new Map(musicFolders.map(({ key, mode }) => [key, mode]));
  const copies = [...modes.values()].includes('copy') && !dryRun;
  const record = createScanRecord();
  const preview = dryRun ? createDryRun({ db, source: LOCAL_FOLDER, record }) : undefined;
  const unfinished = createUnfinishedScans(db.$client, LOCAL_FOLDER);
  return {
    ...deps,
    ...options,
    root,
    startedAt,
    copies,
    canSplit: await deps.canSplit(),
    folders,
    offline,
    closed,
    isWhole,
    keyAt,
    modeAt: (path: string) => modes.get(keyAt(path)) ?? 'reference',
    record,
    preview,
    rows: createWriteQueue({
      writeBatch:
        preview?.plan ??
        unfinished.noted(
          createScanWriter({ db, tracks, trash, divide, storage, source: LOCAL_FOLDER, restore, record, now }),
        ),
      batchMs: deps.batchMs,
      isWanted: () => !signal.aborted,
      relieve: deps.relieve,
      onCommit: options.onCommit,
    }),
    settleCharsets: prepareAlbumCharsets(db.$client, LOCAL_FOLDER),
    moved: createMovedFiles({ db, root, offline: offline.map(({ key }) => key), source: LOCAL_FOLDER }),
    mergedFiles: createMergedFiles(db, LOCAL_FOLDER),
    /** By place: files that are settled when the walk is over. */
    waiting: new Map<string, Waiting>(),
    /** Files that are known under another place too. */
    unsure: new Set<Candidate>(),
    /** Of deleted tracks that are asked for again, in another place. */
    wanted: new Map<Candidate, DeletedFrom>(),
    unfinished,
    room: createCopyRoom({ storage, root, minFreeBytes: deps.minFreeBytes }),
    copyTo: copies ? storage.folder : null,
    sendCopies: copies && storage.folder === null ? createCopies({ storage, root, signal }) : undefined,
    progress: createProgress(record, musicFolders, options.onProgress),
    heap: createHeapLimit(),
  };
}

async function runScan(whole: Scan): Promise<ScanResult> {
  const refused = await refusedFolders(whole);
  const scan = { ...whole, ...without(whole, [...refused.keys()]) };
  const { rows, progress, heap, waiting, unfinished } = scan;
  if (scan.copies) readLostAgain(scan.db, LOCAL_FOLDER);
  if (unfinished.after() === 0) scan.reader.warm(); // a first scan: there will be files to read
  try {
    await walkThrough(scan, scan);
    if (waiting.size > 0 && !scan.isWhole) {
      recordAgain(scan.record); // where their tracks are now can only be told by the whole
      await walkThrough(scan, { folders: [''], closed: [...scan.offline.map(({ key }) => key), ...refused.keys()] });
    }
    await settleWaiting(scan);
    await rows.empty();
    progress.enter('hashing');
    if (!scan.dryRun) await hashLargeFiles({ ...scan, source: LOCAL_FOLDER });
    if (!scan.dryRun && (unfinished.isNoted() || scan.findGone.isDue())) {
      await settleAlbums(scan);
      progress.enter('comparing');
      await findGoneTracks(scan);
    }
  } finally {
    heap.release();
    await rows.empty(); // what was read is kept, also when the scan is cancelled
  }
  if (scan.record.replaced.length > 0) await scan.releaseAudio(scan.record.replaced);
  const refusals = [...refused.values(), ...(scan.record.refused ? [scan.record.refused] : [])];
  if (refusals.length > 0) throw storageFull(refusals, scan.minFreeBytes());
  return report(scan);
}

/** Music folders that are not scanned, because their first copy does not fit: all of it, also if a part is scanned. */
function refusedFolders(scan: Scan): ReturnType<typeof refuseFirstCopies> {
  const { db, root, musicFolders, closed, onProgress, room } = scan;
  const keys = keysOf(root);
  const isNew = ({ key, mode }: Scan['musicFolders'][number]): boolean =>
    mode === 'copy' && !closed.includes(key) && !heldMusic(db, key, keys);
  const folders = scan.copies ? musicFolders.filter(isNew) : [];
  const others = keys.filter((key) => !folders.some((folder) => folder.key === key));
  const record = createScanRecord();
  const progress = createProgress(record, musicFolders, onProgress);
  const walkNew = () =>
    walk({ ...scan, folders: [''], closed: others, record, progress, rows: { push: () => undefined } });
  return refuseFirstCopies({ folders, root, walk: walkNew, room });
}

/** The same part of the music folders, without some of these. */
const without = (
  { folders, closed, keyAt }: Pick<Scan, 'folders' | 'closed' | 'keyAt'>,
  keys: readonly string[],
): Pick<Scan, 'folders' | 'closed'> => ({
  folders: folders.includes('') ? folders : folders.filter((path) => !keys.includes(keyAt(path))),
  closed: [...closed, ...keys],
});

async function walkThrough(scan: Scan, part: Pick<Scan, 'folders' | 'closed'>): Promise<void> {
  const { rows, progress } = scan;
  await eachAtOnce(walk({ ...scan, ...part }), GROUPS_AT_ONCE, async (group) => {
    await rows.hasRoom();
    const { ops, toRead } = await plan(scan, group);
    rows.push(ops);
    const stored = await store(scan, await read(scan, toRead));
    rows.push(await identify(scan, stored));
    recordRead(
      scan.record,
      group.map(({ path }) => scan.keyAt(path)),
    );
    progress.report();
  });
  await rows.empty();
}

type Walk = Omit<Scan, 'rows'> & { rows: Pick<Scan['rows'], 'push'> };

/** Gives the files that have to be looked at, in groups. What else a folder has to say is written by itself. */
async function* walk({ walkFolders, record, rows, progress, signal, ...scan }: Walk): AsyncGenerator<ListedFile[]> {
  const { root, folders, closed, restore, reread = false, canSplit, databasePath } = scan;
  const order = { root, folders, closed, restore, reread, canSplit, databasePath, source: LOCAL_FOLDER };
  for await (const { batches } of walkFolders(order, signal)) {
    let group: ListedFile[] = [];
    for (const found of batches) {
      recordWalked(record, found, scan.keyAt(found.path));
      const { candidates, ...batch } = found;
      if (changesRows(found)) rows.push([{ kind: 'folder', batch, files: candidates.length }]);
      for (const candidate of candidates) {
        group.push({ path: batch.path, candidate });
        if (group.length < GROUP_FILES) continue;
        yield group;
        group = [];
      }
    }
    if (group.length > 0) yield group; // what was found so far is read while the walk goes on
    progress.report(batches.at(-1)?.path ?? '');
  }
  signal.throwIfAborted();
  progress.walked();
}

/** Files that only moved are known already, and some wait from the walk of a part; the others have to be read. */
async function plan(
  { moved, restore, waiting, unsure, wanted, modeAt }: Scan,
  listed: ListedFile[],
): Promise<{ ops: ScanOp[]; toRead: ListedFile[] }> {
  const group = listed.filter(({ path, candidate }) => {
    const before = waiting.get(join(path, candidate.name));
    return !before || fileKey(before.candidate) !== fileKey(candidate);
  });
  const known = await moved.byFile(group);
  const ops: ScanOp[] = [];
  const toRead = group.filter((file, i) => {
    const same = known[i];
    const mayBeSplit = same !== undefined && file.candidate.sheetsMark !== null; // by a sheet that was not beside it
    if (same === 'unsure' || mayBeSplit || isOfDeleted(file.candidate)) unsure.add(file.candidate);
    if (!same || same === 'unsure' || mayBeSplit) return true;
    if ('deletedFrom' in same) {
      if (restore) wanted.set(file.candidate, same.deletedFrom);
      else waiting.set(join(file.path, file.candidate.name), moved.waitUnread(file, same.deletedFrom));
      return restore;
    }
    // from a folder that is only indexed into one whose files are copied
    if (modeAt(file.path) === 'copy' && modeAt(same.from) !== 'copy') return true;
    ops.push({ kind: 'moved', ...file, trackId: same.trackId });
    return false;
  });
  return { ops, toRead };
}

/**
 * Reads tags, and in copy mode copies or hashes the file. A bad file is a result, one that does not fit is left out; a
 * full disk ends the scan.
 */
async function read(scan: Scan, files: ListedFile[]): Promise<ReadFile[]> {
  // large files are hashed in one go with the copy; elsewhere later, unless their audio may be another than before
  const readingOf = ({ path, candidate }: ListedFile): Reading =>
    scan.modeAt(path) === 'copy'
      ? 'copied'
      : mayHaveOtherAudio(candidate) || scan.unsure.has(candidate)
        ? 'hashed'
        : 'indexed';
  const results: ReadFile[] = [];
  for (const [reading, some] of Map.groupBy(files, readingOf))
    results.push(...(await (reading === 'copied' ? readCopies(scan, some) : readGroup(scan, some, reading))));
  const found = await hashWhereNeeded(scan, results);
  const inOrder = new Map(scan.settleCharsets(found).map((file) => [file.candidate, file]));
  return files.flatMap(({ candidate }) => inOrder.get(candidate) ?? []);
}

/** Files that fit, or whose content is stored already, which is looked at only when something does not fit. */
async function readCopies(scan: Scan, files: ListedFile[]): Promise<ReadFile[]> {
  const { room, record } = scan;
  let stored: ReadFile[] = [];
  let place = await room.reserve(files);
  if (place.files.length < files.length) {
    place.release();
    stored = await readStored(scan, files);
    const isStored = new Set(stored.map(({ candidate }) => candidate));
    const others = files.filter(({ candidate }) => !isStored.has(candidate));
    place = await room.reserve(others);
    const fitting = new Set(place.files);
    const refused = others.filter((file) => !fitting.has(file));
    recordRefused(record, refused.map(room.costOf), place.leftBytes);
  }
  try {
    return [...stored, ...(await readGroup(scan, place.files, 'copied'))];
  } finally {
    place.release();
  }
}

/** Files that need no copy: their content is stored, or cannot be read. */
async function readStored(scan: Scan, files: ListedFile[]): Promise<ReadFile[]> {
  const sizes = await scan.room.storedSizes();
  const likely = files.filter(({ candidate }) => sizes.has(candidate.sizeBytes));
  const results = await readGroup(scan, likely, 'named');
  const isStored = await Promise.all(results.map(async ({ result }) => !result.ok || scan.room.isStored(result)));
  return results.filter((_, i) => isStored[i]);
}

/** `copied`: into the storage · `named`: hashed for that · `hashed`: also large files · `indexed`: these later */
type Reading = 'copied' | 'named' | 'hashed' | 'indexed';

async function readGroup(scan: Scan, files: ListedFile[], reading: Reading): Promise<ReadFile[]> {
  if (files.length === 0) return [];
  const results = await scan.reader.read({
    root: scan.root,
    paths: files.map(({ path, candidate: { name, sizeBytes, mtimeUs, dev, lyricsMark, sheetsMark } }) => ({
      path: join(path, name),
      sizeBytes,
      mtimeUs,
      dev,
      lyrics: lyricsMark && join(path, nameOfMark(lyricsMark)),
      sheets: sheetsMark === null ? ('inside' as const) : ('beside' as const),
    })),
    copyTo: reading === 'copied' ? scan.copyTo : null,
    named: reading === 'named' || (reading === 'copied' && scan.sendCopies !== undefined),
    hashLarge: reading !== 'indexed',
  });
  scan.heap.hold(); // only now, when the reading thread has loaded its code
  if (results.some((result) => !result.ok && result.fatal))
    throw new AppError(
      'storage_full',
      `The disk is full. ${scan.record.added} tracks were added; free some space and scan again to go on.`,
    );
  return files.map((file, i) => ({ ...file, result: checkedSplit(results[i] as ReadResult, scan.canSplit) }));
}

/** Without ffmpeg nobody could hear the tracks of a file. */
const checkedSplit = (result: ReadResult, canSplit: boolean): ReadResult =>
  result.ok && result.split?.sections && !canSplit ? { ...result, split: { fault: NEEDS_FFMPEG } } : result;

/** New files that may be tracks whose files moved are read again with their hash. */
async function hashWhereNeeded(scan: Scan, files: ReadFile[]): Promise<ReadFile[]> {
  const fresh = files
    .flatMap(readOf)
    .filter(({ candidate, read }) => read.audioHash === null && !hasOnlyOtherLyrics(candidate));
  if (fresh.length === 0) return files;
  const isNeeded = await scan.moved.toHash(fresh);
  const isSplit = ({ read }: NewFile): boolean => read.split?.sections !== undefined; // known by hash and offset
  const isRead = (file: NewFile, i: number): boolean => (isNeeded[i] && !file.candidate.isAgain) || isSplit(file);
  const needed = new Set(fresh.filter(isRead).map(({ candidate }) => candidate));
  const again = await readGroup(
    scan,
    files.filter(({ candidate }) => needed.has(candidate)),
    'hashed',
  );
  return [...files.filter(({ candidate }) => !needed.has(candidate)), ...again];
}

/** Or other tags. */
const mayHaveOtherAudio = (candidate: Candidate): boolean =>
  (candidate.known?.trackId ?? null) !== null && !candidate.isAgain && !hasOnlyOtherLyrics(candidate);

/** It is in the place of a deleted track, whose file may be elsewhere. */
const isOfDeleted = ({ known }: Candidate): boolean => known?.state === 'deleted' && known.trackId === null;

const readOf = ({ path, candidate, result }: ReadFile): NewFile[] =>
  result.ok ? [{ path, candidate, read: result }] : [];

/** Where the storage is a folder, the reading thread has copied the files already. */
const store = async ({ sendCopies }: Scan, files: ReadFile[]): Promise<ReadFile[]> => sendCopies?.(files) ?? files;

/** Files whose track is certain; the others wait. */
async function identify({ moved, waiting, unsure, wanted }: Scan, files: ReadFile[]): Promise<ScanOp[]> {
  const readable = files.filter(({ result, candidate }) => result.ok && !hasOnlyOtherLyrics(candidate)).flatMap(readOf);
  const found = await moved.byContent(readable);
  const settled = new Map(readable.map((file, i) => [file.candidate, { file, is: found[i] }]));
  return files.flatMap((listed): ScanOp[] => {
    const { file, is = 'place' } = settled.get(listed.candidate) ?? {};
    const deletedFrom = wanted.get(listed.candidate);
    if (file && (is === 'unsure' || unsure.has(listed.candidate) || deletedFrom)) {
      waiting.set(join(listed.path, listed.candidate.name), moved.wait(file, deletedFrom));
      return [];
    }
    return [{ kind: 'file', ...listed, is: is === 'unsure' ? 'place' : is }];
  });
}

async function settleWaiting(scan: Scan): Promise<void> {
  const { waiting, rows, reader, root, moved } = scan;
  if (waiting.size === 0) return;
  for (const files of partsOf([...waiting.values()], GROUP_FILES)) {
    await yieldIfDue();
    if (!scan.dryRun) scan.separated.ofFormer(files.map(({ unsettled }) => unsettled.audioHash));
    for (const held of moved.heldByOthers(files, waiting)) {
      const found = await (scan.modeAt(held.path) === 'copy'
        ? readCopies(scan, [held])
        : readGroup(scan, [held], 'hashed'));
      for (const file of (await store(scan, found)).flatMap(readOf))
        waiting.set(join(file.path, file.candidate.name), moved.wait(file));
    }
  }
  await settle(waiting, {
    ...scan,
    after: scan.unfinished.after(),
    onUnused: (key) => scan.record.replaced.push(toUri(scan.storage, key)),
    async readTags(files) {
      const paths = files.map(({ path, candidate: { name, sizeBytes, mtimeUs, lyricsMark, sheetsMark } }) => ({
        path: join(path, name),
        sizeBytes,
        mtimeUs,
        lyrics: lyricsMark && join(path, nameOfMark(lyricsMark)),
        sheets: sheetsMark === null ? ('inside' as const) : ('beside' as const),
      }));
      const results = await reader.read({ root, paths, copyTo: null, hashLarge: false });
      const read = results.map((result, i) => {
        const { path, candidate } = files[i] as Waiting;
        return { path, candidate, result };
      });
      return scan
        .settleCharsets(read)
        .map(({ result }, i) => (result.ok ? checkedSplit({ ...result, ...files[i]?.read }, scan.canSplit) : result));
    },
    async push(ops) {
      await rows.hasRoom();
      rows.push(ops);
    },
  });
}

async function settleAlbums({ db, tracks: { folderAlbums, releases }, onCommit }: Scan): Promise<void> {
  const inOneGo = (slice: () => void): void => db.transaction(slice, { behavior: 'immediate' });
  const split = folderAlbums.list();
  await inSlices(split, folderAlbums.gather, inOneGo);
  const unsettled = releases.listUnsettled();
  await inSlices(unsettled, releases.settle, inOneGo);
  if (split.length + unsettled.length > 0) onCommit();
}

async function findGoneTracks({ findGone, unfinished, root, signal, record, now }: Scan): Promise<void> {
  const { joined, adopted, upgraded } = await findGone.find({ root, after: unfinished.after(), signal, now: now() });
  recordJoined(record, [...joined, ...upgraded]);
  recordFoundAmongNew(record, adopted);
  unfinished.end();
}

const report = ({ musicFolders, folders, offline, dryRun, preview, record, now, startedAt }: Scan): ScanResult => ({
  path: musicFolders[0]?.path ?? '',
  folders,
  offline: offline.map(({ name, reason }) => ({ name, reason })),
  dry_run: dryRun,
  changes: preview?.changes() ?? null,
  ...countsOf(record),
  duration_ms: now().getTime() - startedAt,
});
