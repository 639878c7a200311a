// Copy-on-write clones: on btrfs, XFS, APFS and others a copy within one file system takes no space and no time.
import fs from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';

/** Codes of file systems that cannot clone. Anything else is an error of the file or the disk. */
const CANNOT = new Set(['ENOTSUP', 'EOPNOTSUPP', 'EXDEV', 'EINVAL', 'ENOSYS', 'ENOTTY', 'EPERM']);
const CLONE = fs.constants.COPYFILE_EXCL | fs.constants.COPYFILE_FICLONE_FORCE;

/** `copy` throws where it cannot clone, and then leaves nothing behind. */
export function createCloner(copy: (from: string | Buffer, to: string) => void = cloneFile) {
  const cannot = new Set<number>();
  return {
    /** False when the file system cannot clone; a device is tried only once. */
    clone(from: string | Buffer, device: number, to: string): boolean {
      if (cannot.has(device)) return false;
      try {
        copy(from, to);
        return true;
      } catch (error) {
        if (!isUnable(error)) throw error;
        cannot.add(device);
        return false;
      }
    },
  };
}

/** Clones a file and removes the clone. Throws errors of the file and of the disk. */
export async function canClone(from: string | Buffer, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, CLONE);
    return true;
  } catch (error) {
    if (!isUnable(error)) throw error;
    return false;
  } finally {
    await rm(to, { force: true });
  }
}

const isUnable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && CANNOT.has(String(error.code));

function cloneFile(from: string | Buffer, to: string): void {
  fs.copyFileSync(from, to, CLONE);
}
