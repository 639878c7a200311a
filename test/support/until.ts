// Waits in tests. A test waits for a state, never for a time, and for as long as the machine needs: it continues at
// once when the state is reached, so a high time limit costs nothing.
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';

const CI_PATIENCE_MS = 5 * 60_000;
const LOCAL_PATIENCE_MS = 2 * 60_000;

/** A wait fails if nothing changes for this long. TEST_PATIENCE_MS shortens it while working on a failing test. */
export const PATIENCE_MS = Number(
  process.env['TEST_PATIENCE_MS'] ?? (process.env['CI'] ? CI_PATIENCE_MS : LOCAL_PATIENCE_MS),
);

/** A wait that takes this long is reported even if it succeeds, which explains a test that takes minutes. */
const REPORTED_MS = 60_000;

/** Reads repeatedly until the value is accepted. Each change of the value restarts the time limit. */
export async function until<T>(
  readValue: () => T | Promise<T>,
  isDone: (value: T) => boolean = Boolean,
  { everyMs = 20 }: { everyMs?: number } = {},
): Promise<T> {
  let lastState = '';
  let changedAt = performance.now();
  let reportAt = changedAt + REPORTED_MS;
  for (;;) {
    const value = await readValue();
    if (isDone(value)) return value;
    const currentState = JSON.stringify(value);
    if (currentState !== lastState) [lastState, changedAt] = [currentState, performance.now()];
    else if (performance.now() - changedAt > PATIENCE_MS)
      throw new Error(`Nothing changed for ${PATIENCE_MS / 1_000} s: it is still ${currentState}.`);
    if (performance.now() > reportAt) {
      console.warn(new Error(`Waiting for more than ${REPORTED_MS / 1_000} s: it is ${currentState.slice(0, 2_000)}`));
      reportAt = Infinity;
    }
    await sleep(everyMs);
  }
}

/** Waits for this number of turns of the event loop. */
export async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await immediate();
}
