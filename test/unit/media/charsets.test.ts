// A slice of `npm run prove -- charsets`.
import { expect, it } from 'vitest';
import { countEncodings, countRight, isRepaired, isUnharmed } from '../../prove/charsets.ts';
import { seedOfRun } from '../../support/test-random.ts';

it('text without a declared charset is read right with its album as evidence, and alone only if it is certain', () => {
  const seed = seedOfRun();
  for (const counts of countEncodings(80, seed))
    expect(isRepaired(counts), `seed ${seed}: ${JSON.stringify(counts)}`).toBe(true);
});

it('text that is right stays as it is, in 20 languages', () => {
  const seed = seedOfRun();
  const languages = countRight(20 * 24, seed);
  expect(languages).toHaveLength(20);
  for (const counts of languages) expect(isUnharmed(counts), `seed ${seed}: ${JSON.stringify(counts)}`).toBe(true);
});
