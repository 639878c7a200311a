// Where backups, exports and restores may be written: not into folders of the server or of the operating system.
import { realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { conflict } from '../errors.ts';
import { isInside, isSystemOrCrowded } from '../runtime/system-folders.ts';
import { LOCAL_SCHEME } from '../storage/uri.ts';

/**
 * Throws `conflict` if the folder belongs to the server or the system or is inside such a folder, also through symbolic
 * links.
 */
export function assertAllowedFolder(path: string, ownFolders: readonly string[]): void {
  const paths = [resolve(path), realPath(path)];
  const serverFolder = ownFolders.find((folder) =>
    paths.some((candidate, index) => isInside(candidate, index === 0 ? resolve(folder) : realPath(folder))),
  );
  if (serverFolder !== undefined)
    throw conflict(
      `${path} is inside ${serverFolder}, which the server uses itself. Choose another folder, preferably on another ` +
        'disk.',
    );
  if (paths.some(isSystemOrCrowded))
    throw conflict(`${path} belongs to the operating system. Choose a folder of your own, preferably on another disk.`);
}

/** Returns why a restore would not work: the environment sets another storage than `library` in the data folder. */
export function findStorageConflict({
  settings,
  origins,
  paths,
}: Pick<Config, 'settings' | 'origins' | 'paths'>): string | undefined {
  const storageFolder = join(paths.data, 'library');
  const names = [
    ...(origins.STORAGE_BACKEND === 'env' && settings.STORAGE_BACKEND !== LOCAL_SCHEME ? ['STORAGE_BACKEND'] : []),
    ...(origins.STORAGE_ROOT === 'env' && paths.storageRoot !== storageFolder ? ['STORAGE_ROOT'] : []),
  ];
  return names.length === 0
    ? undefined
    : `A restore puts the audio into ${storageFolder}, but the environment sets ${names.join(' and ')} differently. ` +
        `Unset ${names.length > 1 ? 'them' : 'it'} first.`;
}

/** Resolves the symbolic links of the path, as far as the path exists. */
function realPath(path: string): string {
  const absolutePath = resolve(path);
  try {
    return realpathSync(absolutePath);
  } catch {
    return dirname(absolutePath) === absolutePath
      ? absolutePath
      : join(realPath(dirname(absolutePath)), relative(dirname(absolutePath), absolutePath));
  }
}
