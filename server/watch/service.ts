// Watches all music folders while LOCAL_MEDIA_WATCH is on. Their changes become one scan.
import type { WatchedSettings } from '../config/live-settings.ts';
import type { MusicFolders } from '../config/music-folders.ts';
import type { MainDb } from '../db/client.ts';
import type { Jobs } from '../jobs/service.ts';
import type { Log } from '../log/log.ts';
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
  timing?: Partial<WatchTiming>;
}

export type Watcher = ReturnType<typeof createWatcher>;

export function createWatcher({ db, log, settings, musicFolders, jobs, workerUrl, timing }: WatcherDeps) {
  const times = { ...WATCH_TIMING, ...timing };
  const requests = createScanRequests({ jobs, log, checkMs: times.checkMs });
  let off: WatchStatus | undefined = { state: 'off', reason: 'The server has not started yet.' };
  let watches = new Map<string, MusicFolderWatch>();
  const stopListening: (() => void)[] = [];
  let isClosed = false;
  let last = Promise.resolve();
  const next = (work: () => Promise<void>): void => {
    last = last.then(work).catch((error: unknown) => log.error({ err: error }, 'watching the music folders failed'));
  };

  const keys = (): string[] => musicFolders.roots().map(({ key }) => key);

  /** Watches of folders that are as they were go on. */
  async function adjust(): Promise<void> {
    if (isClosed) return;
    const isOn = settings.get('LOCAL_MEDIA_WATCH');
    const folders = isOn ? musicFolders.list() : [];
    const wholeOf = (key: string): string =>
      folders.length === 1 ? '' : key === '' ? FIRST_FOLDER_ONLY : rootPathOf(key);
    off = !isOn
      ? { state: 'off', reason: 'Watching is switched off (LOCAL_MEDIA_WATCH).' }
      : folders.length === 0
        ? { state: 'off', reason: 'No music folder is set.' }
        : undefined;
    const before = watches;
    watches = new Map();
    const stays = (watch: MusicFolderWatch): boolean =>
      folders.some(({ key, path }) => key === watch.folder.key && path === watch.folder.path);
    const gone = [...before.values()].filter((watch) => !stays(watch));
    if (gone.length > 0) requests.forget(() => true);
    await Promise.all(gone.map((watch) => watch.close()));
    for (const { key, path } of folders) {
      const kept = before.get(key);
      const watch =
        kept && !gone.includes(kept)
          ? kept
          : watchMusicFolder({
              db,
              log,
              folder: { key, path },
              keys,
              whole: () => wholeOf(key),
              requests,
              workerUrl,
              times,
            });
      watches.set(key, watch);
    }
  }

  return {
    /** Starts in the background, and again when a setting or a folder changes. */
    start(): void {
      stopListening.push(
        musicFolders.onChange(() => next(adjust)),
        settings.onChange(['LOCAL_MEDIA_WATCH'], () => next(adjust)),
      );
      next(adjust);
    },
    /** Of the folder with this key; of the first without one. */
    status: (key?: string): WatchStatus =>
      off ?? (key === undefined ? watches.values().next().value : watches.get(key))?.status() ?? { state: 'starting' },
    async close(): Promise<void> {
      isClosed = true;
      stopListening.forEach((stop) => stop());
      off = { state: 'off', reason: 'The server is stopping.' };
      await Promise.all([...[...watches.values()].map((watch) => watch.close()), requests.close()]);
    },
  };
}
