// Where backups, exports and restores may be written: not into folders of the server itself, nor of the system.
import { realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { conflict } from '../errors.ts';
import { isInside, isSystemOrCrowded } from '../runtime/system-folders.ts';
import { LOCAL_SCHEME } from '../storage/uri.ts';

/** Throws `conflict` for a folder of the server or of the system, or inside one, also through symbolic links. */
export function assertFit(path: string, ownFolders: readonly string[]): void {
  const places = [resolve(path), realPath(path)];
  const own = ownFolders.find((folder) =>
    places.some((place, n) => isInside(place, n === 0 ? resolve(folder) : realPath(folder))),
  );
  if (own !== undefined)
    throw conflict(
      `${path} is inside ${own}, which the server uses itself. Choose another folder, best on another disk.`,
    );
  if (places.some(isSystemOrCrowded))
    throw conflict(`${path} belongs to the operating system. Choose a folder of your own, best on another disk.`);
}

/** Why a restore would not work: the environment sets another storage than `library` in the data folder. */
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
    : `A restore puts the audio into ${place}, but the environment sets ${names.join(' and ')} differently. ` +
        `Unset ${names.length > 1 ? 'them' : 'it'} first.`;
}

/** With symbolic links resolved, as far as the path exists. */
function realPath(path: string): string {
  const whole = resolve(path);
  try {
    return realpathSync(whole);
  } catch {
    return dirname(whole) === whole ? whole : join(realPath(dirname(whole)), relative(dirname(whole), whole));
  }
}
