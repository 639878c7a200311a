// A disk of a few megabytes that tests can fill. Only root on Linux can mount one.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface SmallDisk {
  /** Fills the disk until only this number of bytes is free. */
  fill(leaving: number): void;
  free(): void;
  remount(access: 'ro' | 'rw'): void;
  unmount(): void;
}

/** Mounts a disk; returns undefined, with a warning, if that is not possible. */
export function mountSmallDisk(dir: string, megabytes: number): SmallDisk | undefined {
  mkdirSync(dir, { recursive: true });
  const mount = (...args: string[]) => spawnSync('mount', args, { encoding: 'utf8' });
  const { status, stderr, error } = mount('-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', dir);
  if (status !== 0) {
    console.warn(`NOT TESTED on a full or read-only disk, because none can be mounted: ${error?.message ?? stderr}`);
    return undefined;
  }
  const ballast = join(dir, 'ballast');
  const free = (): void => rmSync(ballast, { force: true });
  return {
    fill(leaving) {
      free();
      const { bsize, bavail } = statfsSync(dir);
      try {
        writeFileSync(ballast, Buffer.alloc(Math.max(0, bsize * bavail - leaving)));
      } catch (error) {
        // another process wrote at the same time; the disk is full with the part that fitted
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      }
    },
    free,
    remount: (access) => void mount('-o', `remount,${access}`, dir),
    unmount: () => void spawnSync('umount', ['-l', dir]),
  };
}
