// Resolves `musicFolderId`, which many endpoints accept. Folder 1 also contains the music outside of all folders, such
// as uploads.
import type { MusicFolders } from '../config/music-folders.ts';
import type { MusicFolderScope } from '../library/lists/music-folder-filters.ts';
import { Fault } from './errors.ts';
import type { Params } from './params.ts';
import type { Fields } from './xml.ts';

const FIRST_FOLDER_ID = 1;

export interface FolderScopeDeps {
  musicFolders: Pick<MusicFolders, 'listAll' | 'roots'>;
}

const visibleFolders = ({ musicFolders }: FolderScopeDeps): ReturnType<MusicFolders['listAll']> =>
  musicFolders.listAll().filter(({ id, isConfigured }) => isConfigured || id === FIRST_FOLDER_ID);

export const musicFolderList = (deps: FolderScopeDeps): Fields[] =>
  visibleFolders(deps).map(({ id, name }) => ({ id, name }));

export const idsOfFolders = (deps: FolderScopeDeps): number[] => visibleFolders(deps).map(({ id }) => id);

/** Returns the key of the music folder with this id. */
export const keyOfFolder = (deps: FolderScopeDeps, id: number): string | undefined =>
  visibleFolders(deps).find((folder) => folder.id === id)?.key;

/**
 * Returns the requested music folder; undefined for all folders: without the parameter, or for 0 and -1, which some
 * clients send. Throws 70 for an unknown folder.
 */
export function musicFolderOf(params: Params, deps: FolderScopeDeps): MusicFolderScope | undefined {
  const id = params.int('musicFolderId');
  if (id === undefined || id <= 0) return undefined;
  const key = keyOfFolder(deps, id);
  if (key === undefined) throw new Fault(70, `There is no music folder ${id}.`);
  return { key, keys: deps.musicFolders.roots().map((root) => root.key) };
}
