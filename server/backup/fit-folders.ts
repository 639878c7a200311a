// Where backups, exports and restores may be written: not into folders of the server itself, nor of the system.
import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Config } from '../config/config.ts';
import { conflict } from '../errors.ts';
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
  if (places.some(isOfTheSystem))
    throw conflict(`${path} belongs to the operating system. Choose a folder of your own, best on another disk.`);
}

const SYSTEM_FOLDERS: Record<string, readonly string[]> = {
  linux: '/bin /boot /dev /etc /lib /lib32 /lib64 /libx32 /lost+found /proc /run /sbin /snap /sys /usr /var'.split(' '),
  darwin:
    '/System /Library /Applications /bin /cores /dev /etc /sbin /usr /private/etc /private/var /var /Network'.split(
      ' ',
    ),
  win32: [
    process.env['SystemRoot'] ?? 'C:\\Windows',
    process.env['ProgramFiles'] ?? 'C:\\Program Files',
    process.env['ProgramFiles(x86)'] ?? 'C:\\Program Files (x86)',
    process.env['ProgramData'] ?? 'C:\\ProgramData',
  ],
};
/** Inside of those, and yet for people: disks that were plugged in, and where services and some systems keep data. */
const FOR_PEOPLE = (
  '/run/media /run/mount /var/backups /var/home /var/lib /var/media /var/mnt /var/srv /var/tmp /usr/home /usr/local ' +
  '/var/folders /private/var/folders /private/var/tmp'
).split(' ');
/** Folders of many things, none of which is a copy of a library. */
const ONLY_INSIDE = ['/', '/home', '/Users', '/Volumes', '/root', '/var/lib', '/usr/local', '/tmp', '/opt'];

function isOfTheSystem(place: string): boolean {
  if (dirname(place) === place || ONLY_INSIDE.includes(place)) return true;
  const isOf = (folders: readonly string[]): boolean => folders.some((folder) => isInside(place, folder));
  return isOf(SYSTEM_FOLDERS[process.platform] ?? SYSTEM_FOLDERS['linux'] ?? []) && !isOf(FOR_PEOPLE);
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

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
