import type { FilesOffer } from '../files/module.ts';
import type { LibraryOffer } from '../library/module.ts';
import type { Base, Module } from '../module.ts';
import type { SourcesOffer } from '../sources/module.ts';
import { createRemoteMerge, createRemoteTracks } from './remote-tracks.ts';
import { downloadRoutes } from './routes.ts';
import { createDownloads } from './service.ts';
import { downloadTask } from './download-task.ts';
import { DOWNLOAD_TASK, MATERIALIZE_TRACK } from './tasks.ts';
import { handledBy } from '../jobs/tasks.ts';

type DownloadsModuleDeps = Base &
  Pick<LibraryOffer, 'library' | 'tracks' | 'trash' | 'changes' | 'onMerge'> &
  Pick<FilesOffer, 'storeFile' | 'quota'> &
  SourcesOffer;

export function downloadsModule({
  config,
  log,
  now,
  db,
  settings,
  events,
  jobs,
  library,
  tracks,
  trash,
  changes,
  onMerge,
  storeFile,
  quota,
  sources,
  catalogue,
}: DownloadsModuleDeps) {
  const libraryChanged = changes.announceChange;
  const downloads = createDownloads({ db, now, jobs, events, catalogue, libraryChanged, dir: config.paths.downloads });
  const task = downloadTask({
    db,
    log,
    now,
    settings,
    downloads,
    catalogue,
    tracks,
    storeFile,
    quota,
    releaseAudio: library.releaseAudio,
    libraryChanged,
    onFetched: (id) => changes.announceAudioAdded([id]),
  });
  const remoteTracks = createRemoteTracks({
    db,
    tracks,
    trash,
    catalogue,
    onSaved() {
      changes.announceAdded();
      libraryChanged();
    },
    onSaveUndone: libraryChanged,
  });
  onMerge(createRemoteMerge({ db }));
  let resumption: Promise<void> | undefined;

  return {
    offers: downloads,
    routes: downloadRoutes({ downloads, remoteTracks, catalogue, sources, trackOut: library.trackOut }),
    tasks: [handledBy(DOWNLOAD_TASK, task), handledBy(MATERIALIZE_TRACK, task)],
    resume(): void {
      resumption = downloads.resume().catch((err: unknown) => {
        log.error({ err }, 'cannot resume the downloads');
      });
    },
    stop: () => resumption,
  } satisfies Module;
}
