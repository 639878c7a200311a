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
import { nameInLyricsStamp } from '../files/lyrics-files.ts';
import { hasHeldMusic } from '../files/music-folder.ts';
import { NEEDS_FFMPEG_REASON } from '../files/section-names.ts';
import type { ReaderPool } from '../files/reader-pool.ts';
import type { ReadResult } from '../files/reader-worker.ts';
import { join } from '../files/relative-path.ts';
import type { TrackWriter } from '../library/track-writer.ts';
import { eachAtOnce } from '../runtime/concurrency.ts';
import { inSlices, partsOf, yieldIfDue } from '../runtime/time-slices.ts';
import { createHeapLimit } from '../runtime/heap-limits.ts';
import { keyOfPath, rootKeysOf } from '../storage/music-roots.ts';
import type { Storage } from '../storage/storage.ts';
import { toUri } from '../storage/uri.ts';
import { prepareAlbumCharsets } from './album-charsets.ts';
import { changesRows, type Candidate, type ListedFile } from './compare-folder.ts';
import { createCopyQuota } from './copy-room.ts';
import { hasOnlyOtherLyrics, type DeletedLocation, type ScanOp } from './decide.ts';
import { createDryRun } from './dry-run.ts';
import { refuseFirstCopies } from './first-copies.ts';
import { hashLargeFiles } from './hash-large-files.ts';
import type { GoneTrackFinder } from './find-gone.ts';
import { createMergedFiles } from './merged-files.ts';
import { createMovedFiles, type NewFile, type PostponedFile } from './moved-files.ts';
import { createProgress } from './progress.ts';
import { storageFullError } from './refusal.ts';
import { findExistingFolders } from './scan-folders.ts';
import { openScope, type ScopeOptions } from './scan-scope.ts';
import {
  toResultCounts,
  createScanRecord,
  restartRecord,
  recordAdopted,
  recordJoined,
  recordRead,
  recordRefused,
  recordBatch,
} from './scan-record.ts';
import type { SeparatedTracks } from './separated-tracks.ts';
import { assignPostponedFiles } from './settle.ts';
import { createCopies, type ReadFile } from './store-copies.ts';
import { markLostCopiesChanged } from './lost-copies.ts';
import type { WalkFolders } from './walker.ts';
import { createUnfinishedScans } from './unfinished-scans.ts';
import type { ScanProgress, ScanResult } from './wire.ts';
import { createWriteQueue } from './write-queue.ts';
import { createScanWriter, type ScanWriterDeps } from './writer.ts';

export const LOCAL_FOLDER = 'local_folder';

const GROUP_FILES = 64;
const MAX_CONCURRENT_GROUPS = 4;
export interface ScanDeps {
  db: MainDb;
  databasePath: string;
  tracks: TrackWriter;
  trash: ScanWriterDeps['trash'];
  divide: ScanWriterDeps['divide'];
  reader: Pick<ReaderPool, 'read' | 'warmUp'>;
  walkFolders: WalkFolders;
  now: () => Date;
  storage: Pick<Storage, 'backend' | 'folder' | 'putAudio' | 'diskUsage' | 'list' | 'stat'>;
  /** MIN_FREE_BYTES. */
  minFreeBytes: () => number;
  /** Called for audio that a changed file replaced; it may still belong to another track. */
  releaseAudio: (storageUris: string[]) => Promise<void>;
  hearing: Pick<Hearing, 'ofFile' | 'ofKept' | 'like' | 'isLikeDeleted'>;
  goneTrackFinder: GoneTrackFinder;
  separatedTracks: SeparatedTracks;
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
  const { offlineFolders, closedKeys, isWhole, ...scope } = await openScope(db, options);
  const folders = await findExistingFolders(root, scope.folders);
  const keys = rootKeysOf(root);
  const keyAt = (path: string): string => keyOfPath(keys, path);
  const modes = new Map(musicFolders.map(({ key, mode }) => [key, mode]));
  const doesCopy = [...modes.values()].includes('copy') && !dryRun;
  const record = createScanRecord();
  const preview = dryRun ? createDryRun({ db, source: LOCAL_FOLDER, record }) : undefined;
  const unfinished = createUnfinishedScans(db.$client, LOCAL_FOLDER);
  return {
    ...deps,
    ...options,
    root,
    startedAt,
    copies: doesCopy,
    canSplit: await deps.canSplit(),
    folders,
    offline: offlineFolders,
    closedKeys,
    isWhole,
    keyAt,
    modeAt: (path: string) => modes.get(keyAt(path)) ?? 'reference',
    record,
    preview,
    rows: createWriteQueue({
      writeBatch:
        preview?.plan ??
        unfinished.noteBefore(
          createScanWriter({ db, tracks, trash, divide, storage, source: LOCAL_FOLDER, restore, record, now }),
        ),
      batchMs: deps.batchMs,
      isScanActive: () => !signal.aborted,
      relieve: deps.relieve,
      onCommit: options.onCommit,
    }),
    detectCharsets: prepareAlbumCharsets(db.$client, LOCAL_FOLDER),
    movedFiles: createMovedFiles({ db, root, offline: offlineFolders.map(({ key }) => key), source: LOCAL_FOLDER }),
    mergedFiles: createMergedFiles(db, LOCAL_FOLDER),
    /** By path: files that are assigned when the walk is over. */
    postponedFiles: new Map<string, PostponedFile>(),
    /** Files that are known under another place too. */
    uncertainCandidates: new Set<Candidate>(),
    /** Old locations of deleted tracks that are to be restored. */
    locationsToRestore: new Map<Candidate, DeletedLocation>(),
    unfinished,
    copyQuota: createCopyQuota({ storage, root, minFreeBytes: deps.minFreeBytes }),
    copyTo: doesCopy ? storage.folder : null,
    sendCopies: doesCopy && storage.folder === null ? createCopies({ storage, root, signal }) : undefined,
    progress: createProgress(record, musicFolders, options.onProgress),
    heap: createHeapLimit(),
  };
}

async function runScan(preparedScan: Scan): Promise<ScanResult> {
  const refusalsByKey = await findRefusedFolders(preparedScan);
  const scan = { ...preparedScan, ...withoutFolders(preparedScan, [...refusalsByKey.keys()]) };
  const { rows, progress, heap, postponedFiles, unfinished } = scan;
  if (scan.copies) markLostCopiesChanged(scan.db, LOCAL_FOLDER);
  if (unfinished.lastOldId() === 0) scan.reader.warmUp(); // a first scan: there will be files to read
  try {
    await processFolders(scan, scan);
    if (postponedFiles.size > 0 && !scan.isWhole) {
      restartRecord(scan.record); // where their tracks are now can only be told by the whole
      await processFolders(scan, {
        folders: [''],
        closedKeys: [...scan.offline.map(({ key }) => key), ...refusalsByKey.keys()],
      });
    }
    await identifyPostponedFiles(scan);
    await rows.drain();
    progress.enterPhase('hashing');
    if (!scan.dryRun) await hashLargeFiles({ ...scan, source: LOCAL_FOLDER });
    if (!scan.dryRun && (unfinished.isNoted() || scan.goneTrackFinder.isDue())) {
      await assignAlbums(scan);
      progress.enterPhase('comparing');
      await matchGoneTracks(scan);
    }
  } finally {
    heap.release();
    await rows.drain(); // what was read is kept, also when the scan is cancelled
  }
  if (scan.record.replacedUris.length > 0) await scan.releaseAudio(scan.record.replacedUris);
  const refusals = [...refusalsByKey.values(), ...(scan.record.refusal ? [scan.record.refusal] : [])];
  if (refusals.length > 0) throw storageFullError(refusals, scan.minFreeBytes());
  return toScanResult(scan);
}

/** Music folders that are not scanned, because their first copy does not fit: all of it, also if a part is scanned. */
function findRefusedFolders(scan: Scan): ReturnType<typeof refuseFirstCopies> {
  const { db, root, musicFolders, closedKeys, onProgress, copyQuota } = scan;
  const keys = rootKeysOf(root);
  const isFirstCopy = ({ key, mode }: Scan['musicFolders'][number]): boolean =>
    mode === 'copy' && !closedKeys.includes(key) && !hasHeldMusic(db, key, keys);
  const newFolders = scan.copies ? musicFolders.filter(isFirstCopy) : [];
  const otherKeys = keys.filter((key) => !newFolders.some((folder) => folder.key === key));
  const record = createScanRecord();
  const progress = createProgress(record, musicFolders, onProgress);
  const walkNewFolders = () =>
    walk({ ...scan, folders: [''], closedKeys: otherKeys, record, progress, rows: { push: () => undefined } });
  return refuseFirstCopies({ folders: newFolders, root, walk: walkNewFolders, room: copyQuota });
}

/** The same part of the music folders, without some of these. */
const withoutFolders = (
  { folders, closedKeys, keyAt }: Pick<Scan, 'folders' | 'closedKeys' | 'keyAt'>,
  keys: readonly string[],
): Pick<Scan, 'folders' | 'closedKeys'> => ({
  folders: folders.includes('') ? folders : folders.filter((path) => !keys.includes(keyAt(path))),
  closedKeys: [...closedKeys, ...keys],
});

async function processFolders(scan: Scan, scope: Pick<Scan, 'folders' | 'closedKeys'>): Promise<void> {
  const { rows, progress } = scan;
  await eachAtOnce(walk({ ...scan, ...scope }), MAX_CONCURRENT_GROUPS, async (group) => {
    await rows.hasRoom();
    const { ops, toRead } = await planFiles(scan, group);
    rows.push(ops);
    const storedFiles = await storeCopies(scan, await readFiles(scan, toRead));
    rows.push(await identifyFiles(scan, storedFiles));
    recordRead(
      scan.record,
      group.map(({ path }) => scan.keyAt(path)),
    );
    progress.report();
  });
  await rows.drain();
}

type Walk = Omit<Scan, 'rows'> & { rows: Pick<Scan['rows'], 'push'> };

/** Gives the files that have to be looked at, in groups. What else a folder has to say is written by itself. */
async function* walk({ walkFolders, record, rows, progress, signal, ...scan }: Walk): AsyncGenerator<ListedFile[]> {
  const { root, folders, closedKeys, restore, reread = false, canSplit, databasePath } = scan;
  const order = { root, folders, closedKeys, restore, reread, canSplit, databasePath, source: LOCAL_FOLDER };
  for await (const { batches } of walkFolders(order, signal)) {
    let group: ListedFile[] = [];
    for (const folderBatch of batches) {
      recordBatch(record, folderBatch, scan.keyAt(folderBatch.path));
      const { candidates, ...batch } = folderBatch;
      if (changesRows(folderBatch)) rows.push([{ kind: 'folder', batch, files: candidates.length }]);
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
  progress.finishWalk();
}

/** Files that only moved are known already, and some wait from the walk of a part; the others have to be read. */
async function planFiles(
  { movedFiles, restore, postponedFiles, uncertainCandidates, locationsToRestore, modeAt }: Scan,
  listedFiles: ListedFile[],
): Promise<{ ops: ScanOp[]; toRead: ListedFile[] }> {
  const group = listedFiles.filter(({ path, candidate }) => {
    const postponedFile = postponedFiles.get(join(path, candidate.name));
    return !postponedFile || fileKey(postponedFile.candidate) !== fileKey(candidate);
  });
  const matches = await movedFiles.identifyByFile(group);
  const ops: ScanOp[] = [];
  const toRead = group.filter((file, i) => {
    const match = matches[i];
    const mayBeSplit = match !== undefined && file.candidate.sheetsMark !== null; // by a sheet that was not beside it
    if (match === 'unsure' || mayBeSplit || isAtPathOfDeleted(file.candidate)) uncertainCandidates.add(file.candidate);
    if (!match || match === 'unsure' || mayBeSplit) return true;
    if ('deletedLocation' in match) {
      if (restore) locationsToRestore.set(file.candidate, match.deletedLocation);
      else
        postponedFiles.set(
          join(file.path, file.candidate.name),
          movedFiles.postponeUnread(file, match.deletedLocation),
        );
      return restore;
    }
    // from a folder that is only indexed into one whose files are copied
    if (modeAt(file.path) === 'copy' && modeAt(match.from) !== 'copy') return true;
    ops.push({ kind: 'moved', ...file, trackId: match.trackId });
    return false;
  });
  return { ops, toRead };
}

/**
 * Reads tags, and in copy mode copies or hashes the file. A bad file is a result, one that does not fit is left out; a
 * full disk ends the scan.
 */
async function readFiles(scan: Scan, files: ListedFile[]): Promise<ReadFile[]> {
  // large files are hashed in one go with the copy; elsewhere later, unless their audio may be another than before
  const readModeOf = ({ path, candidate }: ListedFile): ReadMode =>
    scan.modeAt(path) === 'copy'
      ? 'copied'
      : mayHaveOtherAudio(candidate) || scan.uncertainCandidates.has(candidate)
        ? 'hashed'
        : 'indexed';
  const results: ReadFile[] = [];
  for (const [mode, filesOfMode] of Map.groupBy(files, readModeOf))
    results.push(...(await (mode === 'copied' ? readCopies(scan, filesOfMode) : readGroup(scan, filesOfMode, mode))));
  const hashedResults = await hashWhereNeeded(scan, results);
  const fileByCandidate = new Map(scan.detectCharsets(hashedResults).map((file) => [file.candidate, file]));
  return files.flatMap(({ candidate }) => fileByCandidate.get(candidate) ?? []);
}

/** Files that fit, or whose content is stored already, which is looked at only when something does not fit. */
async function readCopies(scan: Scan, files: ListedFile[]): Promise<ReadFile[]> {
  const { copyQuota, record } = scan;
  let storedFiles: ReadFile[] = [];
  let reservation = await copyQuota.reserve(files);
  if (reservation.files.length < files.length) {
    reservation.release();
    storedFiles = await readStored(scan, files);
    const storedCandidates = new Set(storedFiles.map(({ candidate }) => candidate));
    const otherFiles = files.filter(({ candidate }) => !storedCandidates.has(candidate));
    reservation = await copyQuota.reserve(otherFiles);
    const fittingFiles = new Set(reservation.files);
    const refusedFiles = otherFiles.filter((file) => !fittingFiles.has(file));
    recordRefused(record, refusedFiles.map(copyQuota.costOf), reservation.availableBytes);
  }
  try {
    return [...storedFiles, ...(await readGroup(scan, reservation.files, 'copied'))];
  } finally {
    reservation.release();
  }
}

/** Files that need no copy: their content is stored, or cannot be read. */
async function readStored(scan: Scan, files: ListedFile[]): Promise<ReadFile[]> {
  const sizes = await scan.copyQuota.storedSizeCounts();
  const possiblyStored = files.filter(({ candidate }) => sizes.has(candidate.sizeBytes));
  const results = await readGroup(scan, possiblyStored, 'named');
  const isStored = await Promise.all(results.map(async ({ result }) => !result.ok || scan.copyQuota.isStored(result)));
  return results.filter((_, i) => isStored[i]);
}

/** `copied`: into the storage · `named`: hashed for that · `hashed`: also large files · `indexed`: these later */
type ReadMode = 'copied' | 'named' | 'hashed' | 'indexed';

async function readGroup(scan: Scan, files: ListedFile[], mode: ReadMode): Promise<ReadFile[]> {
  if (files.length === 0) return [];
  const results = await scan.reader.read({
    root: scan.root,
    paths: files.map(({ path, candidate: { name, sizeBytes, mtimeUs, dev, lyricsMark, sheetsMark } }) => ({
      path: join(path, name),
      sizeBytes,
      mtimeUs,
      dev,
      lyrics: lyricsMark && join(path, nameInLyricsStamp(lyricsMark)),
      sheets: sheetsMark === null ? ('inside' as const) : ('beside' as const),
    })),
    copyTo: mode === 'copied' ? scan.copyTo : null,
    hashWholeFile: mode === 'named' || (mode === 'copied' && scan.sendCopies !== undefined),
    hashLarge: mode !== 'indexed',
  });
  scan.heap.hold(); // only now, when the reading thread has loaded its code
  if (results.some((result) => !result.ok && result.fatal))
    throw new AppError(
      'storage_full',
      `The disk is full. ${scan.record.addedCount} tracks were added; free some space and scan again to go on.`,
    );
  return files.map((file, i) => ({ ...file, result: withoutSplitIfNoFfmpeg(results[i] as ReadResult, scan.canSplit) }));
}

/** Without ffmpeg nobody could hear the tracks of a file. */
const withoutSplitIfNoFfmpeg = (result: ReadResult, canSplit: boolean): ReadResult =>
  result.ok && result.split?.sections && !canSplit ? { ...result, split: { fault: NEEDS_FFMPEG_REASON } } : result;

/** New files that may be tracks whose files moved are read again with their hash. */
async function hashWhereNeeded(scan: Scan, files: ReadFile[]): Promise<ReadFile[]> {
  const unhashedFiles = files
    .flatMap(toNewFile)
    .filter(({ candidate, result }) => result.audioHash === null && !hasOnlyOtherLyrics(candidate));
  if (unhashedFiles.length === 0) return files;
  const isHashNeeded = await scan.movedFiles.findFilesToHash(unhashedFiles);
  const isSplit = ({ result }: NewFile): boolean => result.split?.sections !== undefined; // known by hash and offset
  const mustRead = (file: NewFile, i: number): boolean =>
    (isHashNeeded[i] && !file.candidate.isReread) || isSplit(file);
  const candidatesToRead = new Set(unhashedFiles.filter(mustRead).map(({ candidate }) => candidate));
  const rereadFiles = await readGroup(
    scan,
    files.filter(({ candidate }) => candidatesToRead.has(candidate)),
    'hashed',
  );
  return [...files.filter(({ candidate }) => !candidatesToRead.has(candidate)), ...rereadFiles];
}

const mayHaveOtherAudio = (candidate: Candidate): boolean =>
  (candidate.knownFile?.trackId ?? null) !== null && !candidate.isReread && !hasOnlyOtherLyrics(candidate);

/** It is in the place of a deleted track, whose file may be elsewhere. */
const isAtPathOfDeleted = ({ knownFile }: Candidate): boolean =>
  knownFile?.state === 'deleted' && knownFile.trackId === null;

const toNewFile = ({ path, candidate, result }: ReadFile): NewFile[] =>
  result.ok ? [{ path, candidate, result }] : [];

/** Where the storage is a folder, the reading thread has copied the files already. */
const storeCopies = async ({ sendCopies }: Scan, files: ReadFile[]): Promise<ReadFile[]> =>
  sendCopies?.(files) ?? files;

/** Files whose track is certain; the others wait. */
async function identifyFiles(
  { movedFiles, postponedFiles, uncertainCandidates, locationsToRestore }: Scan,
  files: ReadFile[],
): Promise<ScanOp[]> {
  const readable = files
    .filter(({ result, candidate }) => result.ok && !hasOnlyOtherLyrics(candidate))
    .flatMap(toNewFile);
  const targets = await movedFiles.identifyByContent(readable);
  const targetByCandidate = new Map(readable.map((file, i) => [file.candidate, { file, is: targets[i] }]));
  return files.flatMap((readFile): ScanOp[] => {
    const { file, is = 'place' } = targetByCandidate.get(readFile.candidate) ?? {};
    const deletedFrom = locationsToRestore.get(readFile.candidate);
    if (file && (is === 'unsure' || uncertainCandidates.has(readFile.candidate) || deletedFrom)) {
      postponedFiles.set(join(readFile.path, readFile.candidate.name), movedFiles.postpone(file, deletedFrom));
      return [];
    }
    return [{ kind: 'file', ...readFile, target: is === 'unsure' ? 'place' : is }];
  });
}

async function identifyPostponedFiles(scan: Scan): Promise<void> {
  const { postponedFiles, rows, reader, root, movedFiles } = scan;
  if (postponedFiles.size === 0) return;
  for (const files of partsOf([...postponedFiles.values()], GROUP_FILES)) {
    await yieldIfDue();
    if (!scan.dryRun) scan.separatedTracks.separateByFormerAudio(files.map(({ traits }) => traits.audioHash));
    for (const formerOwnersFile of movedFiles.listFilesOfFormerOwners(files, postponedFiles)) {
      const readResults = await (scan.modeAt(formerOwnersFile.path) === 'copy'
        ? readCopies(scan, [formerOwnersFile])
        : readGroup(scan, [formerOwnersFile], 'hashed'));
      for (const file of (await storeCopies(scan, readResults)).flatMap(toNewFile))
        postponedFiles.set(join(file.path, file.candidate.name), movedFiles.postpone(file));
    }
  }
  await assignPostponedFiles(postponedFiles, {
    ...scan,
    lastOldId: scan.unfinished.lastOldId(),
    onUnusedCopy: (key) => scan.record.replacedUris.push(toUri(scan.storage, key)),
    async readTags(files) {
      const paths = files.map(({ path, candidate: { name, sizeBytes, mtimeUs, lyricsMark, sheetsMark } }) => ({
        path: join(path, name),
        sizeBytes,
        mtimeUs,
        lyrics: lyricsMark && join(path, nameInLyricsStamp(lyricsMark)),
        sheets: sheetsMark === null ? ('inside' as const) : ('beside' as const),
      }));
      const results = await reader.read({ root, paths, copyTo: null, hashLarge: false });
      const readFiles = results.map((result, i) => {
        const { path, candidate } = files[i] as PostponedFile;
        return { path, candidate, result };
      });
      return scan
        .detectCharsets(readFiles)
        .map(({ result }, i) =>
          result.ok ? withoutSplitIfNoFfmpeg({ ...result, ...files[i]?.audio }, scan.canSplit) : result,
        );
    },
    async push(ops) {
      await rows.hasRoom();
      rows.push(ops);
    },
  });
}

async function assignAlbums({ db, tracks: { folderAlbums, releases }, onCommit }: Scan): Promise<void> {
  const inTransaction = (slice: () => void): void => db.transaction(slice, { behavior: 'immediate' });
  const splitAlbums = folderAlbums.list();
  await inSlices(splitAlbums, folderAlbums.gather, inTransaction);
  const unassignedReleases = releases.listNotedNames();
  await inSlices(unassignedReleases, releases.regroupAlbums, inTransaction);
  if (splitAlbums.length + unassignedReleases.length > 0) onCommit();
}

async function matchGoneTracks({ goneTrackFinder, unfinished, root, signal, record, now }: Scan): Promise<void> {
  const { joinedIds, adoptedIds, upgradedIds } = await goneTrackFinder.matchGoneTracks({
    root,
    lastOldId: unfinished.lastOldId(),
    signal,
    now: now(),
  });
  recordJoined(record, [...joinedIds, ...upgradedIds]);
  recordAdopted(record, adoptedIds);
  unfinished.end();
}

const toScanResult = ({
  musicFolders,
  folders,
  offline,
  dryRun,
  preview,
  record,
  now,
  startedAt,
}: Scan): ScanResult => ({
  path: musicFolders[0]?.path ?? '',
  folders,
  offline: offline.map(({ name, reason }) => ({ name, reason })),
  dry_run: dryRun,
  changes: preview?.changes() ?? null,
  ...toResultCounts(record),
  duration_ms: now().getTime() - startedAt,
});
