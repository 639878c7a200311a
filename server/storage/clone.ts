// Copy-on-write clones: on btrfs, XFS, APFS and some others a copy inside one file system takes neither room nor time.
import fs from 'node:fs';

/** How a file system says that it, or this pair of them, cannot. Anything else is a fault of the file or the disk. */
const CANNOT = new Set(['ENOTSUP', 'EOPNOTSUPP', 'EXDEV', 'EINVAL', 'ENOSYS', 'ENOTTY', 'EPERM']);

export type Cloner = ReturnType<typeof createCloner>;

/** `copy` throws where no clone can be made, and leaves nothing behind then. */
export function createCloner(copy: (from: string | Buffer, to: string) => void = cloneFile) {
  const cannot = new Set<number>();
  return {
    /**
     * Makes `to` a clone of `from`; false when it was not made. A device from which none can be made is asked once
     * only.
     */
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
