// Repeatable random numbers.
import { randomInt } from 'node:crypto';
import { onTestFailed } from 'vitest';

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** New in each run, for tests with random moments. Printed when one fails; TEST_SEED repeats it. */
export function seedOfRun(): number {
  const seed = Number(process.env['TEST_SEED'] ?? randomInt(2 ** 31));
  onTestFailed(() => console.error(`TEST_SEED=${seed} takes the same moments again.`));
  return seed;
}
