// Which music folders a scan looks into. Those that are not there are left out, with the reason, and all that is known
// of them stays as it is.
import type { MusicFolder } from '../config/music-folders.ts';
import type { MainDb } from '../db/client.ts';
import { AppError } from '../errors.ts';
import { findMusicFolder } from '../files/music-folder.ts';
import { FIRST_ALONE, keyOfPath, keysOf, type MusicRoots } from '../storage/music-roots.ts';

interface ScanScope {
  /** Folders to walk; [''] is all music folders that are not closed. */
  folders: string[];
  /** Keys of music folders that [''] leaves out. */
  closed: string[];
  /** Every music folder that is there is walked. */
  isWhole: boolean;
  offline: { key: string; name: string; reason: string }[];
}

export interface ScopeOptions {
  musicFolders: readonly Pick<MusicFolder, 'key' | 'name' | 'path' | 'mode'>[];
  /** Where paths lead, also in folders that are not set any more. */
  roots: MusicRoots;
  /** Folders to scan: none, or '', are all music folders; FIRST_ALONE is the first; others are as in `source_id`. */
  folders: string[];
  /** Told why music folders are not there, by key. */
  onLooked?: (offline: ReadonlyMap<string, string>) => void;
}

/** Throws `unavailable` when none of the music folders is there that were asked for. */
export async function openScope(
  db: MainDb,
  { musicFolders, roots, folders, onLooked }: ScopeOptions,
): Promise<ScanScope> {
  const keys = keysOf(roots);
  const set = musicFolders.map(({ key }) => key);
  const isAll = folders.length === 0 || folders.includes('');
  const askedKeys = new Set(
    isAll ? set : folders.map((folder) => keyOfPath(keys, folder === FIRST_ALONE ? '' : folder)),
  );
  const offline: ScanScope['offline'] = [];
  await Promise.all(
    musicFolders.map(async (folder) => {
      const { key, name } = folder;
      await findMusicFolder(db, folder, keys).catch((error: unknown) => {
        if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
        offline.push({ key, name, reason: error.message });
      });
    }),
  );
  onLooked?.(new Map(offline.map(({ key, reason }) => [key, reason])));
  const isOffline = (key: string): boolean => offline.some((folder) => folder.key === key);
  const [first] = offline.filter(({ key }) => askedKeys.has(key));
  if (first && [...askedKeys].every(isOffline)) throw new AppError('unavailable', first.reason);

  const isFirstAlone = folders.includes(FIRST_ALONE);
  const isWhole = isAll || (isFirstAlone && askedKeys.size > 1) || (isFirstAlone && set.length === 1);
  const open = isWhole ? set : isFirstAlone ? [''] : set.filter((key) => askedKeys.has(key));
  return {
    folders: isWhole || isFirstAlone ? [''] : folders.filter((folder) => !isOffline(keyOfPath(keys, folder))),
    closed: keys.filter((key) => !open.includes(key) || isOffline(key)),
    isWhole,
    offline,
  };
}
