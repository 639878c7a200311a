import { createCheckpoints } from '../db/checkpoints.ts';
import type { FilesOffer } from '../files/module.ts';
import type { LibraryOffer } from '../library/module.ts';
import type { MediaOffer } from '../media/module.ts';
import type { Base, Module } from '../module.ts';
import { createSeparatedTracks } from './gone-tracks/separated-tracks.ts';
import type { PlaylistFilesOffer } from '../playlist-files/module.ts';
import type { Relocation } from '../relocation/service.ts';
import { assertImportPath } from '../settings/checks.ts';
import type { SourcesOffer } from '../sources/module.ts';
import type { StorageOffer } from '../storage/module.ts';
import type { Hearing } from '../enrichment/hearing.ts';
import { COMPARE_GONE } from '../library/tasks.ts';
import { createGoneTrackFinder } from './gone-tracks/gone-track-finder.ts';
import { scanRoutes } from './routes.ts';
import { LOCAL_FOLDER } from './scan-context.ts';
import {
  SCAN_LOCAL_FOLDER,
  assertScannable,
  compareGoneTask,
  previewScan,
  scanTask,
  type PreviewRequest,
  type ScanTaskDeps,
} from './tasks.ts';
import { handledBy } from '../jobs/tasks.ts';
import { createWalker } from './walk/walker.ts';

type ScanModuleDeps = Base &
  Pick<StorageOffer, 'storage' | 'leases'> &
  Pick<LibraryOffer, 'library' | 'tracks' | 'trash' | 'changes'> &
  Pick<FilesOffer, 'scanReader'> &
  Pick<MediaOffer, 'findTool'> &
  Pick<SourcesOffer, 'sources'> &
  PlaylistFilesOffer & {
    hearing: Hearing;
    relocation: Relocation;
    isServing: () => boolean;
  };

/**
 * Time limits for a batch of rows: `busy` within a second of a request, `quiet` while nobody uses the server. Each
 * batch also costs a commit, the counts and the search text. All of that delays the first request after a pause by at
 * most 50 ms.
 */
const BATCH_MS = { busy: 10, quiet: 40 };

export function scanModule({
  config,
  paths,
  log,
  now,
  db,
  settings,
  musicFolders,
  events,
  jobs,
  storage,
  leases,
  library,
  tracks,
  trash,
  changes,
  scanReader: reader,
  sources,
  findTool,
  hearing,
  relocation,
  playlistFiles,
  isServing,
}: ScanModuleDeps) {
  const { data, database: databasePath, storageRoot } = config.paths;
  const walker = createWalker(paths.workers.walk);
  const checkpoints = createCheckpoints({ client: db.$client, databasePath, workerUrl: paths.workers.checkpoint, log });
  const deps: ScanTaskDeps = {
    db,
    databasePath,
    tracks,
    trash,
    divide: relocation.divide,
    leases,
    reader,
    playlistFiles,
    walkFolders: walker.walk,
    now,
    musicFolders,
    events,
    jobs,
    libraryChanged: changes.announceChange,
    onNewTracks: changes.announceAdded,
    storage,
    minFreeBytes: () => settings.get('MIN_FREE_BYTES'),
    ignoredNames: () => settings.get('LOCAL_MEDIA_IGNORE'),
    ownFolders: { data, storageRoot },
    releaseAudio: library.releaseAudio,
    batchMs: () => (isServing() ? BATCH_MS.busy : BATCH_MS.quiet),
    isServing,
    hearing,
    goneTrackFinder: createGoneTrackFinder({ db, source: LOCAL_FOLDER, hearing, relocation, tracks, reader }),
    separatedTracks: createSeparatedTracks({ db, source: LOCAL_FOLDER, relocation }),
    relieve: checkpoints.relieve,
    canSplit: async () => (await findTool('ffmpeg', settings.get('FFMPEG_PATH')).catch(() => undefined)) !== undefined,
  };

  return {
    offers: {
      /** Returns what a scan would change; writes nothing. */
      preview: (request: PreviewRequest) => previewScan(deps, request),
      /** Throws `conflict` without a music folder, `unavailable` when it cannot be read. */
      assertScannable: () => assertScannable(musicFolders),
      /** Throws a sentence when the configured folder is not allowed as a music folder, or cannot be read. */
      async assertFolder(): Promise<void> {
        const path = settings.get('LOCAL_MEDIA_IMPORT_PATH');
        if (path !== undefined) await assertImportPath(path, { data, storageRoot });
        await assertScannable(musicFolders);
      },
      isScanning: (): boolean =>
        jobs.list({ task: SCAN_LOCAL_FOLDER.name, status: 'running' }, { limit: 1, offset: 0 }).total > 0,
    },
    routes: scanRoutes({ sources, musicFolders, jobs, ignoredNames: deps.ignoredNames }),
    tasks: [handledBy(SCAN_LOCAL_FOLDER, scanTask(deps)), handledBy(COMPARE_GONE, compareGoneTask(deps))],
    close: async (): Promise<void> => void (await Promise.all([walker.close(), checkpoints.close()])),
  } satisfies Module;
}
