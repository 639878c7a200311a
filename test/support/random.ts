// Repeatable random numbers.
import { randomInt } from 'node:crypto';
import { onTestFailed } from 'vitest';

export { seededRandom } from './random-numbers.ts';

/** New in each run, for tests with random moments. Printed when one fails; TEST_SEED repeats it. */
export function seedOfRun(): number {
  const seed = Number(process.env['TEST_SEED'] ?? randomInt(2 ** 31));
  onTestFailed(() => console.error(`TEST_SEED=${seed} takes the same moments again.`));
  return seed;
}
