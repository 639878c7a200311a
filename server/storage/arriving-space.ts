// Reserves space on the disks for files that are arriving. The bytes that a client announces are reserved, so that
// other clients are refused before they write instead of when the disk is full. A client that stalls loses the part of
// its reservation that it has not sent.
import type { DiskUsage } from './storage.ts';

const STALL_CHECK_MS = 10_000;
/** A client that sent fewer bytes than this since the last check has stalled. */
const MIN_BYTES_PER_CHECK = 64 << 10;
/** Free space is measured again after this many written bytes. */
const FREE_SPACE_CHECK_BYTES = 4 << 20;

interface ArrivingSpaceDeps {
  /** The disks on which an arriving file is written; null for storage that is not on a disk. */
  disks: () => Promise<(DiskUsage | null)[]>;
  minFreeBytes: () => number;
  /** Returns how many bytes emptying the trash would free. */
  reclaimableBytes: () => number;
  /** Empties the trash until this many bytes are free beside MIN_FREE_BYTES, or until the trash is empty. */
  reclaim: (bytes: number) => Promise<void>;
  /** Creates the error that refuses a file. */
  createFullError: () => Error;
}

/** The space reserved for one file. */
export interface ArrivingFile {
  /**
   * To be called before writing these bytes. Throws `storage_full`; returns false when the quota does not allow them.
   */
  take(bytes: number): Promise<boolean>;
  /** Ends the reservation when the file is stored, or was given up. */
  release(): void;
}

/** Reserves space for a file. `announcedBytes` is the most that the client says it will send. Throws `storage_full`. */
export type ReserveSpace<Owner> = (owner: Owner, announcedBytes: number | undefined) => Promise<ArrivingFile>;

export type ArrivingSpace = ReturnType<typeof createArrivingSpace>;

export function createArrivingSpace({
  disks,
  minFreeBytes,
  reclaimableBytes,
  reclaim,
  createFullError,
}: ArrivingSpaceDeps) {
  let reservedBytes = 0;
  let freeBytes = 0; // free space when it was last measured
  let writtenBytes = FREE_SPACE_CHECK_BYTES; // bytes written since free space was measured

  async function measureFreeSpace(): Promise<void> {
    writtenBytes = 0;
    const usages = await disks();
    freeBytes = Math.min(...usages.map((disk) => disk?.freeBytes ?? Infinity));
  }

  const spareBytes = (): number => freeBytes - writtenBytes - minFreeBytes();

  return {
    async reserve(
      announcedBytes = 0,
    ): Promise<{ countWritten: (bytes: number) => Promise<void>; release: () => void }> {
      await measureFreeSpace();
      if (spareBytes() < 0) await reclaim(0).then(measureFreeSpace);
      if (spareBytes() < 0 || spareBytes() + reclaimableBytes() - reservedBytes < announcedBytes)
        throw createFullError();
      let unsentBytes = announcedBytes;
      reservedBytes += unsentBytes;
      let bytesSinceCheck = 0;
      const releaseBytes = (bytes: number): void => {
        reservedBytes -= bytes;
        unsentBytes -= bytes;
      };
      const stallTimer = setInterval(() => {
        if (bytesSinceCheck < MIN_BYTES_PER_CHECK) releaseBytes(unsentBytes);
        bytesSinceCheck = 0;
      }, STALL_CHECK_MS).unref();

      return {
        async countWritten(bytes) {
          bytesSinceCheck += bytes;
          releaseBytes(Math.min(unsentBytes, bytes));
          writtenBytes += bytes;
          if (writtenBytes >= FREE_SPACE_CHECK_BYTES) await measureFreeSpace();
          const othersBytes = unsentBytes > 0 ? 0 : reservedBytes;
          if (spareBytes() >= othersBytes) return;
          await reclaim(othersBytes).then(measureFreeSpace);
          if (spareBytes() < othersBytes) throw createFullError();
        },
        release() {
          clearInterval(stallTimer);
          releaseBytes(unsentBytes);
        },
      };
    },
  };
}
