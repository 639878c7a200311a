// Folders that are the library's own: a copy of the library does not belong into them.
import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Config } from '../config/config.ts';
import { conflict } from '../errors.ts';
import { LOCAL_SCHEME } from '../storage/uri.ts';

/** Throws when the path is one of them, or lies inside one, also by way of links. */
export function assertOutside(path: string, ownFolders: readonly string[]): void {
  const own = ownFolders.find(
    (folder) => isInside(resolve(path), resolve(folder)) || isInside(realPath(path), realPath(folder)),
  );
  if (own !== undefined)
    throw conflict(
      `${path} lies inside ${own}, which is the library’s own. Choose another folder, best on another disk.`,
    );
}

/**
 * A sentence when the environment has the audio elsewhere than a restore puts it, which is `library` in the data
 * folder.
 */
export function placeElsewhere({
  settings,
  origins,
  paths,
}: Pick<Config, 'settings' | 'origins' | 'paths'>): string | undefined {
  const place = join(paths.data, 'library');
  const names = [
    ...(origins.STORAGE_BACKEND === 'env' && settings.STORAGE_BACKEND !== LOCAL_SCHEME ? ['STORAGE_BACKEND'] : []),
    ...(origins.STORAGE_ROOT === 'env' && paths.storageRoot !== place ? ['STORAGE_ROOT'] : []),
  ];
  return names.length === 0
    ? undefined
    : `A restored library has its audio in ${place}, but ${names.join(' and ')} in the environment ` +
        `${names.length > 1 ? 'say' : 'says'} otherwise. Take ${names.length > 1 ? 'them' : 'it'} away there.`;
}

/** After links; of what is not there yet, by the folder that is. */
function realPath(path: string): string {
  const whole = resolve(path);
  try {
    return realpathSync(whole);
  } catch {
    return dirname(whole) === whole ? whole : join(realPath(dirname(whole)), relative(dirname(whole), whole));
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
