// Verifies that a store keeps what it confirms. The first and then every hundredth written object is read back; if a
// store has failed once, every object is.
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import { DamagedObject } from './encryption.ts';

const READ_BACK_INTERVAL = 100;
/** Waits between attempts to read an object, because some stores show a new object late. */
const WAITS_MS = [0, 500, 2_000];
/** Names of stores that have failed since the start of the process. */
const distrustedStores = new Set<string>();

interface ReadBackDeps {
  /** Name of the store for messages. */
  name: string;
  /** Reads an object. Throws `not_found`, and DamagedObject if it has more than `maxBytes` bytes. */
  read: (key: string, maxBytes: number) => Promise<Buffer>;
}

/**
 * Returns a function to be called with each written object. It throws `unavailable` when the store does not have the
 * object as it was sent.
 */
export function createReadBack({ name, read }: ReadBackDeps): (key: string, bytes: Buffer) => Promise<void> {
  let writtenCount = 0;

  async function isStored(key: string, bytes: Buffer): Promise<boolean> {
    for (const delayMs of WAITS_MS) {
      if (delayMs > 0) await sleep(delayMs);
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
    if (writtenCount++ % READ_BACK_INTERVAL !== 0 && !distrustedStores.has(name)) return;
    if (await isStored(key, bytes)) return;
    distrustedStores.add(name);
    throw new AppError(
      'unavailable',
      `${name} confirmed that it stored ${key}, but does not have it. The store is not reliable: check the ` +
        'store, or choose another place for backups.',
    );
  };
}
