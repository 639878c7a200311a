// Reads Linux's table of mounts, to tell a disk of this machine from one across the network: the system announces only
// changes that this machine made itself, so a shared folder has to be looked at instead. Format: proc_pid_mountinfo(5).
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

/**
 * Type of the remote file system on which `folder` lies, or that is mounted somewhere below it; undefined when all of
 * it is local.
 */
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

/** Blanks and backslashes are written as three octal digits. */
const unescape = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
