// A file that only takes up space. On a full disk it is released step by step for starting, signing in and deleting,
// because these write to the database, too.
import { randomFillSync } from 'node:crypto';
import { statfsSync, statSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDiskFull } from '../errors.ts';
import type { Log } from '../log/log.ts';

const RESERVE_BYTES = 4 << 20;
/** Size of a step. A transaction that deletes a hundred tracks needs less. */
const STEP_BYTES = 512 << 10;
/** The reserve is filled only as long as this much space stays free. */
const MIN_FREE_BYTES = 32 << 20;
const FILL_INTERVAL_MS = 60_000;

export type Reserve = ReturnType<typeof createReserve>;

export function createReserve({ path, log }: { path: string; log: Log }) {
  let timer: NodeJS.Timeout | undefined;

  const size = (): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

  /** Releases a step of the reserve; returns false when the reserve is used up. */
  function releaseStep(): boolean {
    const remainingBytes = size() - STEP_BYTES;
    if (remainingBytes < 0) return false;
    truncateSync(path, remainingBytes);
    log.warn({ path, left: remainingBytes }, 'disk is full: part of the reserve was released');
    return true;
  }

  async function fill(): Promise<void> {
    if (size() >= RESERVE_BYTES) return;
    if (freeBytes() < MIN_FREE_BYTES + RESERVE_BYTES) return;
    const file = await open(path, 'w', 0o600);
    try {
      // random bytes, because zeros would take no space on a disk that compresses
      const part = randomFillSync(Buffer.alloc(STEP_BYTES));
      for (let offset = 0; offset < RESERVE_BYTES; offset += STEP_BYTES) await file.write(part, 0, STEP_BYTES, offset);
    } finally {
      await file.close();
    }
  }
  function freeBytes(): number {
    const { bsize, bavail } = statfsSync(dirname(path));
    return bsize * bavail;
  }

  const tryFill = (): void => void fill().catch((err: unknown) => log.warn({ err }, 'no reserve for a full disk'));

  return {
    /** Frees space, so that the database, with its log and index, can be opened on a full disk. */
    makeRoomToStart(): void {
      while (size() > 0 && freeBytes() < STEP_BYTES && releaseStep());
    },
    start(): void {
      tryFill();
      timer = setInterval(tryFill, FILL_INTERVAL_MS).unref();
    },
    stop: (): void => clearInterval(timer),

    /** Does the work. Whenever the disk is full, releases a step of the reserve and repeats the work. */
    async use<T>(work: () => T | Promise<T>): Promise<T> {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          if (!isDiskFull(error) || !releaseStep()) throw error;
        }
      }
    },
  };
}
