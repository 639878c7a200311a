// Copy-on-write clones: on btrfs, XFS, APFS and others a copy within one file system takes no space and no time.
import fs from 'node:fs';

/** Codes of file systems that cannot clone. Anything else is an error of the file or the disk. */
const CANNOT = new Set(['ENOTSUP', 'EOPNOTSUPP', 'EXDEV', 'EINVAL', 'ENOSYS', 'ENOTTY', 'EPERM']);

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
        const code = error instanceof Error && 'code' in error ? String(error.code) : '';
        if (!CANNOT.has(code)) throw error;
        cannot.add(device);
        return false;
      }
    },
  };
}

function cloneFile(from: string | Buffer, to: string): void {
  fs.copyFileSync(from, to, fs.constants.COPYFILE_EXCL | fs.constants.COPYFILE_FICLONE_FORCE);
}
