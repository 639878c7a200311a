// The dependencies and options of a scan, and the state that its stages share.
import type { MainDb } from '../db/client.ts';
import type { Hearing } from '../enrichment/hearing.ts';
import type { ReaderPool } from '../files/reader-pool.ts';
import type { TrackWriter } from '../library/tracks/track-writer.ts';
import { createHeapLimit } from '../runtime/heap-limits.ts';
import { keyOfPath, rootKeysOf } from '../storage/music-roots.ts';
import type { Storage } from '../storage/storage.ts';
import { prepareAlbumCharsets } from './album-charsets.ts';
import type { Candidate } from './walk/compare-folder.ts';
import { createCopyQuota } from './copies/copy-quota.ts';
import type { DeletedLocation } from './write/decide.ts';
import { createDryRun } from './dry-run.ts';
import type { GoneTrackFinder } from './gone-tracks/gone-track-finder.ts';
import { createMergedFiles } from './identity/replaced-files.ts';
import { createMovedFiles, type PostponedFile } from './identity/moved-files.ts';
import { createProgress } from './progress.ts';
import { findExistingFolders } from './scan-folders.ts';
import { createScanRecord } from './scan-record.ts';
import { openScope, type ScopeOptions } from './scan-scope.ts';
import type { SeparatedTracks } from './gone-tracks/separated-tracks.ts';
import { createCopies } from './copies/store-copies.ts';
import { createUnfinishedScans } from './unfinished-scans.ts';
import type { WalkFolders } from './walk/walker.ts';
import type { ScanProgress } from './wire.ts';
import { createWriteQueue } from './stages/5-write-rows.ts';
import { createScanWriter, type ScanWriterDeps } from './write/writer.ts';

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
  /** MIN_FREE_BYTES. */
  minFreeBytes: () => number;
  /** Called for audio that a changed file replaced; it may still belong to another track. */
  releaseAudio: (storageUris: string[]) => Promise<void>;
  hearing: Pick<Hearing, 'ofFile' | 'ofStoredAudio' | 'findSimilarTo' | 'soundsLikeDeleted'>;
  goneTrackFinder: GoneTrackFinder;
  separatedTracks: SeparatedTracks;
  /** How long writing a batch of rows may take. */
  batchMs: () => number;
  /** Resolves when the database's log is short enough to write on. */
  relieve: () => Promise<void>;
  /** Whether ffmpeg is installed, which sends parts of a file. */
  canSplit: () => Promise<boolean>;
}

export interface ScanOptions extends ScopeOptions {
  restore: boolean;
  /** Also reads files whose size and time have not changed. */
  reread?: boolean;
  /** Only lists what would change: nothing is copied, and no row is written. */
  dryRun: boolean;
  signal: AbortSignal;
  onProgress: (progress: Omit<ScanProgress, 'job_id'>) => void;
  /** Called after rows were written. */
  onCommit: () => void;
}

export type Scan = Awaited<ReturnType<typeof prepareScan>>;

/** Collects the state that the stages of one scan share. */
export async function prepareScan(deps: ScanDeps, options: ScanOptions) {
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
    /** Files by path that are assigned to tracks when the walk is over. */
    postponedFiles: new Map<string, PostponedFile>(),
    /** Files that other rows have under another path too. */
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
