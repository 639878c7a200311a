// Decides which music folders a scan covers. Folders that are not connected are left out with the reason, and nothing
// about them changes.
import type { MusicFolder } from '../config/music-folders.ts';
import type { MainDb } from '../db/client.ts';
import { AppError } from '../errors.ts';
import { findMusicFolder } from '../files/music-folder.ts';
import { FIRST_FOLDER_ONLY, keyOfPath, rootKeysOf, type MusicRoots } from '../storage/music-roots.ts';

interface ScanScope {
  /** Folders to walk; [''] means all music folders that are not closed. */
  folders: string[];
  /** Keys of music folders that [''] does not include. */
  closedKeys: string[];
  /** True if the scan walks every connected music folder. */
  isAllFolders: boolean;
  offlineFolders: { key: string; name: string; reason: string }[];
}

export interface ScopeOptions {
  musicFolders: readonly Pick<MusicFolder, 'key' | 'name' | 'path' | 'mode'>[];
  /** The paths of all music folders, including those that were removed. */
  roots: MusicRoots;
  /**
   * Folders to scan. None, or '', means all music folders; FIRST_FOLDER_ONLY means the first; others are paths as in
   * `source_id`.
   */
  folders: string[];
  /** Called with the reasons why music folders cannot be reached, by key. */
  onFoldersChecked?: (offline: ReadonlyMap<string, string>) => void;
}

/** Determines the scope. Throws `unavailable` when none of the requested music folders is connected. */
export async function openScope(
  db: MainDb,
  { musicFolders, roots, folders, onFoldersChecked }: ScopeOptions,
): Promise<ScanScope> {
  const keys = rootKeysOf(roots);
  const currentKeys = musicFolders.map(({ key }) => key);
  const isAll = folders.length === 0 || folders.includes('');
  const requestedKeys = new Set(
    isAll ? currentKeys : folders.map((folder) => keyOfPath(keys, folder === FIRST_FOLDER_ONLY ? '' : folder)),
  );
  const offlineFolders: ScanScope['offlineFolders'] = [];
  await Promise.all(
    musicFolders.map(async (folder) => {
      const { key, name } = folder;
      await findMusicFolder(db, folder, keys).catch((error: unknown) => {
        if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
        offlineFolders.push({ key, name, reason: error.message });
      });
    }),
  );
  onFoldersChecked?.(new Map(offlineFolders.map(({ key, reason }) => [key, reason])));
  const isOffline = (key: string): boolean => offlineFolders.some((folder) => folder.key === key);
  const [firstOffline] = offlineFolders.filter(({ key }) => requestedKeys.has(key));
  if (firstOffline && [...requestedKeys].every(isOffline)) throw new AppError('unavailable', firstOffline.reason);

  const isFirstAlone = folders.includes(FIRST_FOLDER_ONLY);
  const isAllFolders = isAll || (isFirstAlone && requestedKeys.size > 1) || (isFirstAlone && currentKeys.length === 1);
  const openKeys = isAllFolders
    ? currentKeys
    : isFirstAlone
      ? ['']
      : currentKeys.filter((key) => requestedKeys.has(key));
  return {
    folders: isAllFolders || isFirstAlone ? [''] : folders.filter((folder) => !isOffline(keyOfPath(keys, folder))),
    closedKeys: keys.filter((key) => !openKeys.includes(key) || isOffline(key)),
    isAllFolders,
    offlineFolders,
  };
}
