// Finds network file systems in Linux's mount table. For these the system reports only changes made by this machine, so
// a shared folder cannot be watched. Format: proc_pid_mountinfo(5).
import { readFile } from 'node:fs/promises';
import { isBelow } from '../files/relative-path.ts';

const REMOTE_TYPES = new Set([
  'nfs',
  'nfs4',
  'cifs',
  'smb3',
  'smbfs',
  '9p',
  'ceph',
  'afs',
  'ncpfs',
  'vboxsf',
  'virtiofs',
  'prl_fs',
  'fuse',
]);

/**
 * Returns whether a file system may be remote: `fuseblk` is a local disk (NTFS, exFAT); any other FUSE file system may
 * be remote.
 */
const isRemote = (type: string): boolean => REMOTE_TYPES.has(type) || type.startsWith('fuse.');

/** Returns the name of the remote file system that the folder is on; undefined when all of it seems to be local. */
export async function findRemoteFileSystem(path: string): Promise<string | undefined> {
  if (path.startsWith('\\\\')) return 'a Windows share'; // real paths of mapped drives begin like this, too
  if (process.platform !== 'linux') return undefined;
  const mounts = await readFile('/proc/self/mountinfo', 'utf8').catch(() => ''); // some sandboxes hide the file
  return findRemoteMount(mounts, path);
}

/** Returns the type of the remote file system of `folder`, or of one mounted below; undefined when all is local. */
export function findRemoteMount(mountinfo: string, folder: string): string | undefined {
  const path = stripTrailingSlash(folder);
  let mount = { point: '', type: '' };
  for (const line of mountinfo.split('\n')) {
    const [mountFields, fileSystemFields] = line.split(' - ');
    const point = stripTrailingSlash(unescapeOctal(mountFields?.split(' ')[4] ?? ''));
    const type = fileSystemFields?.split(' ')[0];
    if (type === undefined) continue;
    // a later mount covers an earlier one
    if (isBelow(path, point) && point.length >= mount.point.length) mount = { point, type };
    else if (isBelow(point, path) && isRemote(type)) return type;
  }
  return isRemote(mount.type) ? mount.type : undefined;
}

const stripTrailingSlash = (path: string): string => path.replace(/\/$/, '');

/** Decodes spaces and backslashes, which mount tables contain as three octal digits. */
const unescapeOctal = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
