// Checks which music folders can be reached. Tracks of an unreachable folder are shown as offline; no row is changed.
import { setTimeout as sleep } from 'node:timers/promises';
import type { MusicFolder, MusicFolders } from '../config/music-folders.ts';
import type { MainDb } from '../db/client.ts';
import { AppError } from '../errors.ts';
import { findMusicFolder } from '../files/music-folder.ts';
import type { Log } from '../log/log.ts';

export const CHECK_INTERVAL_MS = 30_000;
/** While a window is open, so that it says within seconds that a disk was disconnected. */
export const WATCHED_CHECK_INTERVAL_MS = 2_000;
/** How long to wait for a folder: a network share whose server is gone never answers. */
const ANSWER_TIMEOUT_MS = 5_000;

interface FolderCheckDeps {
  db: MainDb;
  musicFolders: MusicFolders;
  log: Log;
  /** Called when a folder went offline or came back. */
  onChange: () => void;
}

export function createFolderCheck({ db, musicFolders, log, onChange }: FolderCheckDeps): () => Promise<void> {
  /** Checks that have not ended, by path: a share that does not answer blocks one thread, not one more each time. */
  const pendingChecks = new Map<string, Promise<string | undefined>>();

  const startCheck = (folder: MusicFolder, keys: string[]): Promise<string | undefined> => {
    const check = findMusicFolder(db, folder, keys)
      .then(
        () => undefined,
        (error: unknown) => {
          if (error instanceof AppError && error.code === 'unavailable') return error.message;
          throw error;
        },
      )
      .finally(() => pendingChecks.delete(folder.path));
    pendingChecks.set(folder.path, check);
    return check;
  };

  async function findFault(folder: MusicFolder, keys: string[]): Promise<string | undefined> {
    const stop = new AbortController();
    const timeout = sleep(ANSWER_TIMEOUT_MS, `The music folder ${folder.path} is not responding.`, {
      signal: stop.signal,
      ref: false,
    }).catch(() => undefined);
    const check = pendingChecks.get(folder.path) ?? startCheck(folder, keys);
    return Promise.race([check, timeout]).finally(() => stop.abort());
  }

  return async () => {
    const keys = musicFolders.roots().map(({ key }) => key);
    try {
      const faults = await Promise.all(
        musicFolders.list().map(async (folder) => [folder.key, await findFault(folder, keys)] as const),
      );
      const offline = faults.flatMap(([key, reason]) => (reason === undefined ? [] : [[key, reason] as const]));
      if (musicFolders.setOffline(new Map(offline))) onChange();
    } catch (error) {
      if (db.$client.open) log.error({ err: error }, 'checking the music folders failed');
    }
  };
}
