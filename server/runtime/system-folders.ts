// Folders that belong to the operating system.
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';

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
)
  .split(' ')
  .concat(`/run/user/${process.getuid?.() ?? 0}/gvfs`); // where GNOME mounts network drives
/** Folders of many things, none of which is a copy of a library or a music folder. */
const ONLY_INSIDE = ['/', '/home', '/Users', '/Volumes', '/root', '/var/lib', '/usr/local', '/tmp', '/opt'];

/** Belongs to the operating system, or has too many things in it. */
export function isOfTheSystem(place: string): boolean {
  if (dirname(place) === place || ONLY_INSIDE.includes(place)) return true;
  return isSystem(place);
}

const isSystem = (place: string): boolean =>
  ofThisSystem().some((folder) => isInside(place, folder)) && !FOR_PEOPLE.some((folder) => isInside(place, folder));
const ofThisSystem = (): readonly string[] => SYSTEM_FOLDERS[process.platform] ?? SYSTEM_FOLDERS['linux'] ?? [];

/** In a home folder on macOS, and yet for people. */
const CLOUD_DRIVES = ['Library/Mobile Documents', 'Library/CloudStorage'];

/** Hidden, or where programs keep what belongs to a person: keys, mail, browser profiles. */
export function isPrivate(place: string): boolean {
  if (place.split(sep).some((part) => /^\.[^.]/.test(part))) return true;
  if (process.platform === 'win32') return isInside(place, join(homedir(), 'AppData'));
  if (process.platform !== 'darwin' || !isInside(place, join(homedir(), 'Library'))) return false;
  return !CLOUD_DRIVES.some((folder) => isInside(place, join(homedir(), folder)));
}

/** Nothing in it is for people. */
export const isSystemOnly = (place: string): boolean =>
  isSystem(place) && !FOR_PEOPLE.some((folder) => isInside(folder, place));

/** Also true for the same folder. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
