// Lets background work wait while another program has locked the database for writing, without blocking the thread.
import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseLocked } from '../errors.ts';

const RETRY_INTERVAL_MS = 250;

/** Retries a write while the database is locked. Throws the error of the database when `shouldRetry` returns false. */
export async function whenUnlocked<T>(write: () => T, shouldRetry: () => boolean = () => true): Promise<T> {
  for (;;) {
    try {
      return write();
    } catch (error) {
      if (!isDatabaseLocked(error) || !shouldRetry()) throw error;
    }
    await sleep(RETRY_INTERVAL_MS);
  }
}
