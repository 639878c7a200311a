// `musicFolderId`, which many endpoints accept. Folder 1 also holds what is in no music folder, such as uploads.
import type { MusicFolders } from '../config/music-folders.ts';
import type { MusicFolderScope } from '../library/music-folder-filters.ts';
import { Fault } from './errors.ts';
import type { Params } from './params.ts';
import type { Fields } from './xml.ts';

const FIRST = 1;

export interface FolderScopeDeps {
  musicFolders: Pick<MusicFolders, 'all' | 'roots'>;
}

const shown = ({ musicFolders }: FolderScopeDeps): ReturnType<MusicFolders['all']> =>
  musicFolders.all().filter(({ id, isSet }) => isSet || id === FIRST);

export const musicFolderList = (deps: FolderScopeDeps): Fields[] => shown(deps).map(({ id, name }) => ({ id, name }));

export const idsOfFolders = (deps: FolderScopeDeps): number[] => shown(deps).map(({ id }) => id);

/** Key of the music folder with this id. */
export const keyOfFolder = (deps: FolderScopeDeps, id: number): string | undefined =>
  shown(deps).find((folder) => folder.id === id)?.key;

/** Undefined for all folders: without the parameter, or for 0 and -1, which some clients send. Throws 70. */
export function musicFolderOf(params: Params, deps: FolderScopeDeps): MusicFolderScope | undefined {
  const id = params.int('musicFolderId');
  if (id === undefined || id <= 0) return undefined;
  const key = keyOfFolder(deps, id);
  if (key === undefined) throw new Fault(70, `There is no music folder ${id}.`);
  return { key, keys: deps.musicFolders.roots().map((root) => root.key) };
}
