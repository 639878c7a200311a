// Proves that a store has kept what it says that it stored. Of what is written, the first and one in a hundred objects
// are read back, and everything where the store failed that once.
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import { DamagedObject } from './encryption.ts';

const EACH = 100;
/** Stores that showed a new object late are asked again. */
const WAITS_MS = [0, 500, 2_000];
/** By their names, for as long as the process runs. */
const distrusted = new Set<string>();

interface ReadBackDeps {
  /** Of the store, for people. */
  name: string;
  /** Throws `not_found`, and DamagedObject for more than `most` bytes. */
  read: (key: string, most: number) => Promise<Buffer>;
}

/** To be called with each object after it was written. Throws `unavailable` when it is not there as it was sent. */
export function createReadBack({ name, read }: ReadBackDeps): (key: string, bytes: Buffer) => Promise<void> {
  let written = 0;

  async function isKept(key: string, bytes: Buffer): Promise<boolean> {
    for (const wait of WAITS_MS) {
      if (wait > 0) await sleep(wait);
      try {
        return bytes.equals(await read(key, bytes.length));
      } catch (error) {
        if (error instanceof DamagedObject) return false;
        if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
      }
    }
    return false;
  }

  return async (key, bytes) => {
    if (written++ % EACH !== 0 && !distrusted.has(name)) return;
    if (await isKept(key, bytes)) return;
    distrusted.add(name);
    throw new AppError(
      'unavailable',
      `${name} said that it had stored ${key}, and does not have it. What it keeps cannot be relied on: check the ` +
        'store, or choose another place for backups.',
    );
  };
}
