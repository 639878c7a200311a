import { expect, it } from 'vitest';
import { findRemoteMount } from '../../../server/watch/mounts.ts';

const MOUNT_TABLE = `22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
40 22 0:35 / /mnt/nas rw,relatime shared:20 - nfs4 nas:/music rw
41 22 0:36 / /mnt/cloud\\040music rw - fuse.rclone remote: rw
42 22 8:1 / /media/usb rw - fuseblk /dev/sda1 rw
43 22 8:2 / /mnt/nas/local rw - ext4 /dev/sdb1 rw
44 22 0:37 / /srv/music/shared rw - cifs //nas/shared rw
45 22 8:3 / /mnt/covered rw - ext4 /dev/sdc1 rw
46 45 0:38 / /mnt/covered rw - nfs nas:/covered rw
`;

it.each([
  ['/home/me/Music', undefined],
  ['/mnt/nas', 'nfs4'],
  ['/mnt/nas/albums', 'nfs4'],
  ['/mnt/nasty', undefined],
  ['/mnt/nas/local/albums', undefined],
  ['/mnt/cloud music', 'fuse.rclone'],
  ['/media/usb/Music', undefined],
  ['/srv/music', 'cifs'],
  ['/mnt/covered', 'nfs'],
  ['/', 'nfs4'],
])('%s is on, or contains, a remote file system: %s', (path, type) => {
  expect(findRemoteMount(MOUNT_TABLE, path)).toBe(type);
});

it('an unreadable table is ignored', () => {
  expect(findRemoteMount('', '/music')).toBeUndefined();
});
