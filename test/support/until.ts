// Waiting in tests. A test waits for a state, never for a time, and for as long as the machine needs: what is there is
// taken at once, so patience costs nothing where all is well.
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';

/**
 * How long nothing may change before a wait gives up. TEST_PATIENCE_MS shortens it for whoever works on a test that
 * fails.
 */
export const PATIENCE_MS = Number(process.env['TEST_PATIENCE_MS'] ?? 5 * 60_000);

/** Reads again and again until the value will do. Each change of it is progress, and is given as much time again. */
export async function until<T>(
  read: () => T | Promise<T>,
  isDone: (value: T) => boolean = Boolean,
  { everyMs = 20 }: { everyMs?: number } = {},
): Promise<T> {
  let last = '';
  let changedAt = performance.now();
  for (;;) {
    const value = await read();
    if (isDone(value)) return value;
    const now = JSON.stringify(value);
    if (now !== last) [last, changedAt] = [now, performance.now()];
    else if (performance.now() - changedAt > PATIENCE_MS)
      throw new Error(`Nothing changed for ${PATIENCE_MS / 1_000} s: it is still ${now}.`);
    await sleep(everyMs);
  }
}

/** Lets everything else in this process go on for so many turns of the event loop. */
export async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await immediate();
}
