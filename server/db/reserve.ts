// A file that only takes up space. On a full disk it is given back bit by bit to what makes room, starting, signing in
// and deleting: they write to the database too.
import { randomFillSync } from 'node:crypto';
import { statfsSync, statSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDiskFull } from '../errors.ts';
import type { Log } from '../log/log.ts';

const BYTES = 4 << 20;
/** A transaction that deletes a hundred tracks needs less. */
const STEP_BYTES = 512 << 10;
/** It is not taken from a disk that is about to be full. */
const LEAVE_BYTES = 32 << 20;
const FILL_EVERY_MS = 60_000;

export type Reserve = ReturnType<typeof createReserve>;

export function createReserve({ path, log }: { path: string; log: Log }) {
  let timer: NodeJS.Timeout | undefined;

  const size = (): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

  /** False when nothing is left. */
  function giveBack(): boolean {
    const left = size() - STEP_BYTES;
    if (left < 0) return false;
    truncateSync(path, left);
    log.warn({ path, left }, 'the disk is full: what makes room got some of the reserve');
    return true;
  }

  async function fill(): Promise<void> {
    if (size() >= BYTES) return;
    if (freeBytes() < LEAVE_BYTES + BYTES) return;
    const file = await open(path, 'w', 0o600);
    try {
      const part = randomFillSync(Buffer.alloc(STEP_BYTES)); // zeros would take no space on a disk that compresses
      for (let at = 0; at < BYTES; at += STEP_BYTES) await file.write(part, 0, STEP_BYTES, at);
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
    /** So that the database can be opened on a full disk: its log and index are files too. */
    makeRoomToStart(): void {
      while (size() > 0 && freeBytes() < STEP_BYTES && giveBack());
    },
    start(): void {
      tryFill();
      timer = setInterval(tryFill, FILL_EVERY_MS).unref();
    },
    stop: (): void => clearInterval(timer),

    /** Does the work, and again with some of the reserve each time that the disk is full. */
    async use<T>(work: () => T | Promise<T>): Promise<T> {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          if (!isDiskFull(error) || !giveBack()) throw error;
        }
      }
    },
  };
}
