import type { Base, Module } from '../module.ts';
import type { WatchTiming } from './music-folder-watch.ts';
import { createWatcher } from './service.ts';

export interface WatchTuning {
  /** Delays and limits of the watch on the music folder. */
  watchTiming?: Partial<WatchTiming>;
}

export function watchModule({
  config,
  db,
  log,
  settings,
  musicFolders,
  jobs,
  paths,
  tuning,
}: Base & { tuning: WatchTuning }) {
  const timing = tuning.watchTiming ?? {};
  const { data, storageRoot } = config.paths;
  const watcher = createWatcher({
    db,
    log,
    settings,
    musicFolders,
    jobs,
    workerUrl: paths.workers.watch,
    ownFolders: { data, storageRoot },
    timing,
  });
  return { offers: watcher, start: watcher.start, stop: watcher.close } satisfies Module;
}
