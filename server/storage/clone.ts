// Makes copy-on-write clones: on btrfs, XFS, APFS and others a copy within one file system takes no space and no time.
import fs from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';

/** Error codes of file systems that cannot clone. Any other code is an error of the file or the disk. */
const UNSUPPORTED_CODES = new Set(['ENOTSUP', 'EOPNOTSUPP', 'EXDEV', 'EINVAL', 'ENOSYS', 'ENOTTY', 'EPERM']);
const CLONE_FLAGS = fs.constants.COPYFILE_EXCL | fs.constants.COPYFILE_FICLONE_FORCE;

/** Creates a cloner. `copy` throws if it cannot clone, and leaves nothing behind when it throws. */
export function createCloner(copy: (from: string | Buffer, to: string) => void = cloneFile) {
  const unsupportedDevices = new Set<number>();
  return {
    /**
     * Clones a file; returns false when the file system cannot clone. After a failure, the device is not tried again.
     */
    clone(from: string | Buffer, device: number, to: string): boolean {
      if (unsupportedDevices.has(device)) return false;
      try {
        copy(from, to);
        return true;
      } catch (error) {
        if (!isUnsupported(error)) throw error;
        unsupportedDevices.add(device);
        return false;
      }
    },
  };
}

/** Clones a file and removes the clone. Throws errors of the file and of the disk. */
export async function canClone(from: string | Buffer, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, CLONE_FLAGS);
    return true;
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    return false;
  } finally {
    await rm(to, { force: true });
  }
}

const isUnsupported = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && UNSUPPORTED_CODES.has(String(error.code));

function cloneFile(from: string | Buffer, to: string): void {
  fs.copyFileSync(from, to, CLONE_FLAGS);
}
