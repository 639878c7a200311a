// Repeatable random numbers.
import { onTestFailed } from 'vitest';

export { seededRandom } from './seeded-random.ts';

/** The same in each run, so that a failure can be repeated. TEST_SEED sets another one. */
export function seedOfRun(): number {
  const seed = Number(process.env['TEST_SEED'] ?? 1);
  onTestFailed(() => console.error(`The seed was TEST_SEED=${seed}.`));
  return seed;
}
