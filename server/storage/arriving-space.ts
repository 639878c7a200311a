// Space on the disks for files that are arriving. What a client announced is reserved, so that others are refused
// before they write and not when the disk is full; a client that stalls loses what it reserved and has not sent.
import type { DiskUsage } from './storage.ts';

const STALL_CHECK_MS = 10_000;
/** A client that sent less since the last check stalls. */
const STALL_BYTES = 64 << 10;
/** Free space is asked for again after so many written bytes. */
const ASK_EVERY_BYTES = 4 << 20;

interface ArrivingSpaceDeps {
  /** Of all disks on which an arriving file is written; null where there is none. */
  disks: () => Promise<(DiskUsage | null)[]>;
  minFreeBytes: () => number;
  /** What the trash could give back. */
  reclaimableBytes: () => number;
  /** Empties the trash until so many bytes are free beside MIN_FREE_BYTES, as far as that helps. */
  reclaim: (bytes: number) => Promise<void>;
  /** The refusal. */
  full: () => Error;
}

/** The space of one file. */
export interface ArrivingFile {
  /** To be called before so many bytes are written. Throws `storage_full`; false when the quota does not allow them. */
  take(bytes: number): Promise<boolean>;
  /** Ends the reservation: the file is stored, or gone. */
  release(): void;
}

/** `announcedBytes` is the most that will be written, if the client said it. Throws `storage_full`. */
export type ReserveSpace<Owner> = (owner: Owner, announcedBytes: number | undefined) => Promise<ArrivingFile>;

export type ArrivingSpace = ReturnType<typeof createArrivingSpace>;

export function createArrivingSpace({ disks, minFreeBytes, reclaimableBytes, reclaim, full }: ArrivingSpaceDeps) {
  let reservedBytes = 0;
  let freeBytes = 0; // when it was asked for
  let writtenBytes = ASK_EVERY_BYTES; // since then

  async function ask(): Promise<void> {
    writtenBytes = 0;
    const usages = await disks();
    freeBytes = Math.min(...usages.map((disk) => disk?.freeBytes ?? Infinity));
  }

  const spareBytes = (): number => freeBytes - writtenBytes - minFreeBytes();

  return {
    async reserve(announcedBytes = 0): Promise<{ written: (bytes: number) => Promise<void>; release: () => void }> {
      await ask();
      if (spareBytes() < 0) await reclaim(0).then(ask);
      if (spareBytes() < 0 || spareBytes() + reclaimableBytes() - reservedBytes < announcedBytes) throw full();
      let ahead = announcedBytes;
      reservedBytes += ahead;
      let lately = 0;
      const giveUp = (bytes: number): void => {
        reservedBytes -= bytes;
        ahead -= bytes;
      };
      const stall = setInterval(() => {
        if (lately < STALL_BYTES) giveUp(ahead);
        lately = 0;
      }, STALL_CHECK_MS).unref();

      return {
        async written(bytes) {
          lately += bytes;
          giveUp(Math.min(ahead, bytes));
          writtenBytes += bytes;
          if (writtenBytes >= ASK_EVERY_BYTES) await ask();
          const others = ahead > 0 ? 0 : reservedBytes;
          if (spareBytes() >= others) return;
          await reclaim(others).then(ask);
          if (spareBytes() < others) throw full();
        },
        release() {
          clearInterval(stall);
          giveUp(ahead);
        },
      };
    },
  };
}
