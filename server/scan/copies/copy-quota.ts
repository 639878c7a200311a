// Limits the copies of a scan to the free space on the disk of the storage, so that no scan fills it. Free space is
// read once per group of files; files that other groups are copying at that time count as taken space.
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { absoluteOf, join } from '../../files/relative-path.ts';
import type { ReadResult } from '../../files/reader-worker.ts';
import { createSlots } from '../../runtime/concurrency.ts';
import { canClone } from '../../storage/clone.ts';
import { tempPath } from '../../storage/local-paths.ts';
import type { MusicRoots } from '../../storage/music-roots.ts';
import type { Storage } from '../../storage/storage.ts';
import type { ListedFile } from '../walk/compare-folder.ts';

/** Size of a disk block; files take whole blocks. */
const BLOCK_BYTES = 4_096;

interface CopyQuotaDeps {
  storage: Pick<Storage, 'diskUsage' | 'folder' | 'list' | 'stat'>;
  /** Roots of the music folders. */
  root: MusicRoots;
  /** Returns the setting MIN_FREE_BYTES. */
  minFreeBytes: () => number;
}

interface CopyReservation {
  /** The files that fit, in the order of the request. */
  files: ListedFile[];
  /** Bytes that remain free after the reservation. */
  availableBytes: number;
  /** Ends the reservation, once the files are copied. */
  release: () => void;
}

export type CopyQuota = ReturnType<typeof createCopyQuota>;

export function createCopyQuota({ storage, root, minFreeBytes }: CopyQuotaDeps) {
  const runExclusively = createSlots(1);
  /** Whether copies are clones (of the file system), by the device of the copied file. */
  const canCloneByDevice = new Map<number, boolean>();
  let reservedBytes = 0;
  let onIdle: (() => void) | undefined;
  let sizeCounts: Promise<Map<number, number>> | undefined;

  /** Returns the bytes that copies may take; Infinity when the storage is not a disk. */
  async function availableBytes(): Promise<number> {
    const disk = await storage.diskUsage();
    return disk === null ? Infinity : Math.max(0, disk.freeBytes - minFreeBytes());
  }

  const copyBytesOf = ({ candidate: { dev, sizeBytes } }: ListedFile): number =>
    canCloneByDevice.get(dev) === true ? 0 : Math.ceil(sizeBytes / BLOCK_BYTES) * BLOCK_BYTES;

  /** Finds out whether copies from the device of a file are clones, by cloning the file, which takes no space. */
  async function tryClone({ path, candidate: { name, dev } }: ListedFile): Promise<void> {
    if (storage.folder === null || canCloneByDevice.has(dev)) return;
    const temp = tempPath(storage.folder, process.pid, randomBytes(8).toString('hex'));
    await mkdir(dirname(temp), { recursive: true });
    // a file that cannot be opened gives no answer; reading it reports the error later
    const isClone = await canClone(absoluteOf(root, join(path, name)), temp).catch(() => undefined);
    if (isClone !== undefined) canCloneByDevice.set(dev, isClone);
  }

  const waitForCopies = async (): Promise<void> => {
    while (reservedBytes > 0)
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
  };

  async function countStoredSizes(): Promise<Map<number, number>> {
    const counts = new Map<number, number>();
    for await (const { size } of storage.list('audio/')) counts.set(size, (counts.get(size) ?? 0) + 1);
    return counts;
  }

  return {
    available: availableBytes,
    costOf: copyBytesOf,
    tryClone,

    /** Reserves space for as many of the files as fit. Waits for running copies before it refuses a file. */
    reserve: (files: ListedFile[]): Promise<CopyReservation> =>
      runExclusively(async () => {
        let remainingBytes = (await availableBytes()) - reservedBytes;
        if (totalOf(files.map(copyBytesOf)) > remainingBytes) {
          for (const file of files) await tryClone(file);
          await waitForCopies();
          remainingBytes = await availableBytes();
        }
        const fittingFiles = files.filter((file) => {
          const cost = copyBytesOf(file);
          if (cost > remainingBytes) return false;
          remainingBytes -= cost;
          return true;
        });
        const bytes = totalOf(fittingFiles.map(copyBytesOf));
        reservedBytes += bytes;
        const sizeCountsSoFar = await sizeCounts;
        for (const { candidate } of fittingFiles) sizeCountsSoFar?.set(candidate.sizeBytes, 1);
        return {
          files: fittingFiles,
          availableBytes: remainingBytes,
          release() {
            reservedBytes -= bytes;
            if (reservedBytes === 0) onIdle?.();
          },
        };
      }),

    /** Returns the number of stored files by size. They are listed once, and only when a file does not fit. */
    storedSizeCounts: (): Promise<Map<number, number>> => (sizeCounts ??= countStoredSizes()),

    async isStored(result: ReadResult): Promise<boolean> {
      if (!result.ok || !result.stored) return false;
      return (await storage.stat(result.stored.key))?.size === result.sizeBytes;
    },
  };
}

const totalOf = (bytes: number[]): number => bytes.reduce((total, size) => total + size, 0);
