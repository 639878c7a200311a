// Watches all music folders while LOCAL_MEDIA_WATCH is on. Changes of several folders become one scan.
import type { WatchedSettings } from '../config/live-settings.ts';
import type { MusicFolders } from '../config/music-folders.ts';
import type { MainDb } from '../db/client.ts';
import type { Jobs } from '../jobs/service.ts';
import type { Log } from '../log/log.ts';
import type { OwnFolders } from '../runtime/unsuitable-folders.ts';
import { FIRST_FOLDER_ONLY, rootPathOf } from '../storage/music-roots.ts';
import {
  WATCH_TIMING,
  watchMusicFolder,
  type MusicFolderWatch,
  type WatchStatus,
  type WatchTiming,
} from './music-folder-watch.ts';
import { createScanRequests } from './scan-requests.ts';

interface WatcherDeps {
  db: MainDb;
  log: Log;
  settings: WatchedSettings;
  musicFolders: MusicFolders;
  jobs: Pick<Jobs, 'tryEnqueue' | 'get'>;
  workerUrl: URL;
  /** Tonearm's own folders. */
  ownFolders: OwnFolders;
  timing?: Partial<WatchTiming>;
}

export type Watcher = ReturnType<typeof createWatcher>;

export function createWatcher({ db, log, settings, musicFolders, jobs, workerUrl, ownFolders, timing }: WatcherDeps) {
  const times = { ...WATCH_TIMING, ...timing };
  const requests = createScanRequests({ jobs, log, checkMs: times.scanCheckMs });
  let offStatus: WatchStatus | undefined = { state: 'off', reason: 'The server has not started yet.' };
  let watches = new Map<string, MusicFolderWatch>();
  const stopListening: (() => void)[] = [];
  let isClosed = false;
  let queue = Promise.resolve();
  const enqueue = (work: () => Promise<void>): void => {
    queue = queue.then(work).catch((error: unknown) => log.error({ err: error }, 'watching the music folders failed'));
  };

  const listKeys = (): string[] => musicFolders.roots().map(({ key }) => key);

  /** Starts and ends watches as the settings say; watches of unchanged folders continue. */
  async function updateWatches(): Promise<void> {
    if (isClosed) return;
    const isWatchOn = settings.get('LOCAL_MEDIA_WATCH');
    const ignoredNames = settings.get('LOCAL_MEDIA_IGNORE');
    const folders = isWatchOn ? musicFolders.list() : [];
    const scanPathOf = (key: string): string =>
      folders.length === 1 ? '' : key === '' ? FIRST_FOLDER_ONLY : rootPathOf(key);
    offStatus = !isWatchOn
      ? { state: 'off', reason: 'Watching is switched off.' }
      : folders.length === 0
        ? { state: 'off', reason: 'No music folder is set.' }
        : undefined;
    const previousWatches = watches;
    watches = new Map();
    const isStillSet = (watch: MusicFolderWatch): boolean =>
      watch.ignoredNames === ignoredNames &&
      folders.some(
        ({ key, path, followsLinks }) =>
          key === watch.folder.key && path === watch.folder.path && followsLinks === watch.folder.followsLinks,
      );
    const endedWatches = [...previousWatches.values()].filter((watch) => !isStillSet(watch));
    if (endedWatches.length > 0) requests.forget(() => true);
    await Promise.all(endedWatches.map((watch) => watch.close()));
    for (const { key, path, followsLinks } of folders) {
      const previousWatch = previousWatches.get(key);
      const watch =
        previousWatch && !endedWatches.includes(previousWatch)
          ? previousWatch
          : watchMusicFolder({
              db,
              log,
              folder: { key, path, followsLinks },
              keys: listKeys,
              scanPath: () => scanPathOf(key),
              requests,
              workerUrl,
              times,
              ignoredNames,
              ownFolders,
            });
      watches.set(key, watch);
    }
  }

  return {
    /** Starts watching in the background, and updates the watches when a setting or a folder changes. */
    start(): void {
      stopListening.push(
        musicFolders.onChange(() => enqueue(updateWatches)),
        settings.onChange(['LOCAL_MEDIA_WATCH', 'LOCAL_MEDIA_IGNORE'], () => enqueue(updateWatches)),
      );
      enqueue(updateWatches);
    },
    /** Returns the status of the folder with this key, or of the first folder. */
    status: (key?: string): WatchStatus =>
      offStatus ??
      (key === undefined ? watches.values().next().value : watches.get(key))?.status() ?? { state: 'starting' },
    async close(): Promise<void> {
      isClosed = true;
      stopListening.forEach((stop) => stop());
      offStatus = { state: 'off', reason: 'The server is stopping.' };
      await Promise.all([...[...watches.values()].map((watch) => watch.close()), requests.close()]);
    },
  };
}
