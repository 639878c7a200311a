// Looks which music folders are there. Tracks of one that is not are shown as offline, and nothing is written.
import { setTimeout as sleep } from 'node:timers/promises';
import type { MusicFolder, MusicFolders } from '../config/music-folders.ts';
import type { MainDb } from '../db/client.ts';
import { AppError } from '../errors.ts';
import { findMusicFolder } from '../files/music-folder.ts';
import type { Log } from '../log/log.ts';

export const LOOK_EVERY_MS = 30_000;
/** A network share whose server is gone does not answer at all. */
const PATIENCE_MS = 5_000;

interface LookDeps {
  db: MainDb;
  musicFolders: MusicFolders;
  log: Log;
  /** A folder went away or came back. */
  onNews: () => void;
}

export function createLook({ db, musicFolders, log, onNews }: LookDeps): () => Promise<void> {
  async function faultOf(folder: MusicFolder, keys: string[]): Promise<string | undefined> {
    const stop = new AbortController();
    const tooLong = sleep(PATIENCE_MS, `The music folder ${folder.path} does not answer.`, {
      signal: stop.signal,
      ref: false,
    }).catch(() => undefined);
    const found = findMusicFolder(db, folder, keys).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof AppError && error.code === 'unavailable') return error.message;
        throw error;
      },
    );
    return Promise.race([found, tooLong]).finally(() => stop.abort());
  }

  return async () => {
    const keys = musicFolders.roots().map(({ key }) => key);
    try {
      const found = await Promise.all(
        musicFolders.list().map(async (folder) => [folder.key, await faultOf(folder, keys)] as const),
      );
      const offline = found.flatMap(([key, reason]) => (reason === undefined ? [] : [[key, reason] as const]));
      if (musicFolders.setOffline(new Map(offline))) onNews();
    } catch (error) {
      if (db.$client.open) log.error({ err: error }, 'the music folders could not be looked at');
    }
  };
}
