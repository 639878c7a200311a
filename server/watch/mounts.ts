// Finds network file systems in Linux's mount table. There the system reports only changes made by this machine, so a
// shared folder cannot be watched. Format: proc_pid_mountinfo(5).
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

/** fuseblk is a local disk (NTFS, exFAT); any other FUSE file system may be anywhere. */
const isRemote = (type: string): boolean => REMOTE_TYPES.has(type) || type.startsWith('fuse.');

/** Name of the remote file system that the folder is on; undefined when, as far as can be told, all of it is local. */
export async function findRemoteFileSystem(path: string): Promise<string | undefined> {
  if (path.startsWith('\\\\')) return 'a Windows share'; // mapped drives too: their real path begins like this
  if (process.platform !== 'linux') return undefined;
  const mounts = await readFile('/proc/self/mountinfo', 'utf8').catch(() => ''); // hidden in some sandboxes
  return findRemoteMount(mounts, path);
}

/** Type of the remote file system of `folder`, or of one mounted below it; undefined when all of it is local. */
export function findRemoteMount(mountinfo: string, folder: string): string | undefined {
  const path = withoutSlash(folder);
  let holder = { point: '', type: '' };
  for (const line of mountinfo.split('\n')) {
    const [before, after] = line.split(' - ');
    const point = withoutSlash(unescape(before?.split(' ')[4] ?? ''));
    const type = after?.split(' ')[0];
    if (type === undefined) continue;
    // a later mount covers an earlier one
    if (isBelow(path, point) && point.length >= holder.point.length) holder = { point, type };
    else if (isBelow(point, path) && isRemote(type)) return type;
  }
  return isRemote(holder.type) ? holder.type : undefined;
}

const withoutSlash = (path: string): string => path.replace(/\/$/, '');

/** Spaces and backslashes are written as three octal digits. */
const unescape = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
