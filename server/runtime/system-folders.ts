// Recognizes folders that belong to the operating system.
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
/**
 * Folders inside system folders that people may use: mount points of disks, and folders where services and some systems
 * keep data.
 */
const USER_FOLDERS = (
  '/run/media /run/mount /var/backups /var/home /var/lib /var/media /var/mnt /var/srv /var/tmp /usr/home /usr/local ' +
  '/var/folders /private/var/folders /private/var/tmp'
)
  .split(' ')
  .concat(`/run/user/${process.getuid?.() ?? 0}/gvfs`); // where GNOME mounts network drives
/** Folders with unrelated content: a library or a music folder may only be inside them. */
const CROWDED_FOLDERS = ['/', '/home', '/Users', '/Volumes', '/root', '/var/lib', '/usr/local', '/tmp', '/opt'];

/** Returns whether the folder belongs to the operating system, or contains much unrelated content. */
export function isSystemOrCrowded(path: string): boolean {
  if (dirname(path) === path || CROWDED_FOLDERS.includes(path)) return true;
  return isInSystemFolder(path);
}

const isInSystemFolder = (path: string): boolean =>
  listSystemFolders().some((folder) => isInside(path, folder)) &&
  !USER_FOLDERS.some((folder) => isInside(path, folder));
const listSystemFolders = (): readonly string[] => SYSTEM_FOLDERS[process.platform] ?? SYSTEM_FOLDERS['linux'] ?? [];

/** Folders in `Library` of a home folder on macOS that people use. */
const CLOUD_DRIVES = ['Library/Mobile Documents', 'Library/CloudStorage'];

/** Returns whether the folder is hidden, or one where programs keep private data: keys, mail, browser profiles. */
export function isPrivate(path: string): boolean {
  if (path.split(sep).some((name) => /^\.[^.]/.test(name))) return true;
  if (process.platform === 'win32') return isInside(path, join(homedir(), 'AppData'));
  if (process.platform !== 'darwin' || !isInside(path, join(homedir(), 'Library'))) return false;
  return !CLOUD_DRIVES.some((folder) => isInside(path, join(homedir(), folder)));
}

/** Returns whether the folder belongs to the operating system and contains no folder that people may use. */
export const isSystemOnly = (path: string): boolean =>
  isInSystemFolder(path) && !USER_FOLDERS.some((folder) => isInside(folder, path));

/** Returns whether the path is inside the folder, or the folder itself. */
export function isInside(path: string, folder: string): boolean {
  const relativePath = relative(folder, path);
  return relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath);
}
