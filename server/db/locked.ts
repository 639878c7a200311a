// Background work waits while another program has locked the database for writing, without blocking the thread.
import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseLocked } from '../errors.ts';

const AGAIN_MS = 250;

/** `goesOn` false ends the waiting with the database's error. */
export async function whenUnlocked<T>(write: () => T, goesOn: () => boolean = () => true): Promise<T> {
  for (;;) {
    try {
      return write();
    } catch (error) {
      if (!isDatabaseLocked(error) || !goesOn()) throw error;
    }
    await sleep(AGAIN_MS);
  }
}
