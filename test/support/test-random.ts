// Repeatable random numbers.
import { onTestFailed } from 'vitest';

export { seededRandom } from './seeded-random.ts';

/** Returns the seed, which is the same in each run, so that failures are repeatable. TEST_SEED sets another seed. */
export function seedOfRun(): number {
  const seed = Number(process.env['TEST_SEED'] ?? 1);
  onTestFailed(() => console.error(`The seed was TEST_SEED=${seed}.`));
  return seed;
}
