// The dependencies and options of a scan, and the state that its stages share.
import type { MainDb } from '../db/client.ts';
import type { ImportMode } from '../db/schema.ts';
import type { Hearing } from '../enrichment/hearing.ts';
import type { ReaderPool } from '../files/reader-pool.ts';
import type { TrackWriter } from '../library/tracks/track-writer.ts';
import type { PlaylistFilesOffer } from '../playlist-files/module.ts';
import { createHeapLimit } from '../runtime/heap-limits.ts';
import type { OwnFolders } from '../runtime/unsuitable-folders.ts';
import { keyOfPath, rootKeysOf } from '../storage/music-roots.ts';
import type { Storage } from '../storage/storage.ts';
import { prepareAlbumCharsets } from './album-charsets.ts';
import type { Candidate } from './walk/compare-folder.ts';
import { createCopyQuota, type CopyQuota } from './copies/copy-quota.ts';
import type { DeletedLocation } from './write/decide.ts';
import { createDryRun } from './dry-run.ts';
import type { GoneTrackFinder } from './gone-tracks/gone-track-finder.ts';
import { createMergedFiles, type MergedFiles } from './identity/replaced-files.ts';
import { createMovedFiles, type MovedFiles, type PostponedFile } from './identity/moved-files.ts';
import { createProgress } from './progress.ts';
import { findExistingFolders } from './scan-folders.ts';
import { createScanRecord, type ScanRecord } from './scan-record.ts';
import { openScope, type ScopeOptions } from './scan-scope.ts';
import type { SeparatedTracks } from './gone-tracks/separated-tracks.ts';
import { createCopies } from './copies/store-copies.ts';
import { createUnfinishedScans } from './unfinished-scans.ts';
import type { WalkFolders } from './walk/walker.ts';
import type { ScanProgress } from './wire.ts';
import { createWriteQueue } from './stages/5-write-rows.ts';
import { createScanWriter, type ScanWriterDeps, type WriteBatch } from './write/writer.ts';

export const LOCAL_FOLDER = 'local_folder';

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
  /** Returns the setting MIN_FREE_BYTES. */
  minFreeBytes: () => number;
  /** LOCAL_MEDIA_IGNORE. */
  ignoredNames: () => string;
  /** Tonearm's own folders, to which links are not followed. */
  ownFolders: OwnFolders;
  /** Called for audio that a changed file replaced; it may still belong to another track. */
  releaseAudio: (storageUris: string[]) => Promise<void>;
  hearing: Pick<Hearing, 'ofFile' | 'ofStoredAudio' | 'findSimilarTo' | 'soundsLikeDeleted'>;
  goneTrackFinder: GoneTrackFinder;
  separatedTracks: SeparatedTracks;
  /** The time limit for writing a batch of rows. */
  batchMs: () => number;
  /** Resolves when the database's write-ahead log is short enough to write more. */
  relieve: () => Promise<void>;
  canSplit: () => Promise<boolean>;
  playlistFiles: Pick<PlaylistFilesOffer['playlistFiles'], 'isEnabled' | 'noteChanges' | 'noteScanned' | 'follow'>;
}

export interface ScanOptions extends ScopeOptions {
  restore: boolean;
  /** True to read files whose size and time have not changed, too. */
  reread?: boolean;
  /** True to only list what would change: nothing is copied, and no row is written. */
  dryRun: boolean;
  signal: AbortSignal;
  onProgress: (progress: Omit<ScanProgress, 'job_id'>) => void;
  /** Called after rows were written. */
  onCommit: () => void;
}

/** The folders of a scan. */
export interface ScannedFolders {
  /** Paths below the music folders; [''] means everything. */
  folders: string[];
  /** Keys of music folders that the walk does not enter. */
  closedKeys: string[];
}

interface Scope extends ScannedFolders {
  offlineFolders: Awaited<ReturnType<typeof openScope>>['offlineFolders'];
  /** True if all music folders are scanned. */
  isAllFolders: boolean;
  /** Returns the key of the music folder of a path; `modeAt` returns whether its files are copied. */
  keyAt: (path: string) => string;
  modeAt: (path: string) => ImportMode;
}

/** What copy mode needs. */
interface Copies {
  isEnabled: boolean;
  quota: CopyQuota;
  /** The folder that the reading thread copies to; null if the storage is not a folder, or nothing is copied. */
  targetFolder: string | null;
  /** Sends copies to a storage that is not a folder. */
  send: ReturnType<typeof createCopies> | undefined;
}

/** State that the stages that identify files share. */
interface Identity {
  movedFiles: MovedFiles;
  mergedFiles: MergedFiles;
  /** Files by path that are assigned to tracks when the walk is over. */
  postponedFiles: Map<string, PostponedFile>;
  /** Files that other rows have at another path, too. */
  uncertainCandidates: Set<Candidate>;
  /** Old locations of deleted tracks that are to be restored. */
  locationsToRestore: Map<Candidate, DeletedLocation>;
}

export interface Scan {
  deps: ScanDeps;
  options: ScanOptions;
  startedAt: number;
  scope: Scope;
  copies: Copies;
  identity: Identity;
  /** True if ffmpeg is installed, which is needed to send parts of a file. */
  canSplit: boolean;
  detectCharsets: ReturnType<typeof prepareAlbumCharsets>;
  /** Counts and lists of what the scan has seen and done so far. */
  record: ScanRecord;
  /** The rows to be written; a dry run only plans them. */
  rows: ReturnType<typeof createWriteQueue>;
  /** Lists what a dry run would change. */
  preview: ReturnType<typeof createDryRun> | undefined;
  progress: ReturnType<typeof createProgress>;
  unfinishedScans: ReturnType<typeof createUnfinishedScans>;
  heap: ReturnType<typeof createHeapLimit>;
}

/** Collects the state that the stages of one scan share. */
export async function prepareScan(deps: ScanDeps, options: ScanOptions): Promise<Scan> {
  const { db, now, storage } = deps;
  const { roots, musicFolders, dryRun, signal } = options;
  const startedAt = now().getTime();
  const { offlineFolders, closedKeys, isAllFolders, ...scope } = await openScope(db, options);
  const folders = await findExistingFolders(roots, scope.folders);
  const keys = rootKeysOf(roots);
  const keyAt = (path: string): string => keyOfPath(keys, path);
  const modes = new Map(musicFolders.map(({ key, mode }) => [key, mode]));
  const isCopying = [...modes.values()].includes('copy') && !dryRun;
  const record = createScanRecord();
  const preview = dryRun ? createDryRun({ db, source: LOCAL_FOLDER, record }) : undefined;
  const unfinishedScans = createUnfinishedScans(db.$client, LOCAL_FOLDER);
  return {
    deps,
    options,
    startedAt,
    scope: {
      folders,
      closedKeys,
      offlineFolders,
      isAllFolders,
      keyAt,
      modeAt: (path: string) => modes.get(keyAt(path)) ?? 'reference',
    },
    copies: {
      isEnabled: isCopying,
      quota: createCopyQuota({ storage, root: roots, minFreeBytes: deps.minFreeBytes }),
      targetFolder: isCopying ? storage.folder : null,
      send: isCopying && storage.folder === null ? createCopies({ storage, musicRoots: roots, signal }) : undefined,
    },
    identity: {
      movedFiles: createMovedFiles({
        db,
        root: roots,
        offline: offlineFolders.map(({ key }) => key),
        source: LOCAL_FOLDER,
      }),
      mergedFiles: createMergedFiles(db, LOCAL_FOLDER),
      postponedFiles: new Map(),
      uncertainCandidates: new Set(),
      locationsToRestore: new Map(),
    },
    canSplit: await deps.canSplit(),
    detectCharsets: prepareAlbumCharsets(db.$client, LOCAL_FOLDER),
    record,
    rows: createWriteQueue({
      writeBatch: preview?.plan ?? unfinishedScans.noteBefore(createRowWriter(deps, options, record)),
      batchMs: deps.batchMs,
      isScanActive: () => !signal.aborted,
      relieve: deps.relieve,
      onCommit: options.onCommit,
    }),
    preview,
    progress: createProgress(record, musicFolders, options.onProgress),
    unfinishedScans,
    heap: createHeapLimit(),
  };
}

const createRowWriter = (
  { db, tracks, trash, divide, storage, now }: ScanDeps,
  { restore }: ScanOptions,
  record: ScanRecord,
): WriteBatch => createScanWriter({ db, tracks, trash, divide, storage, source: LOCAL_FOLDER, restore, record, now });
