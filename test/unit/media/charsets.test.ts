// Runs a small part of `npm run prove -- charsets`.
import { expect, it } from 'vitest';
import { countEncodings, countRight, isRepaired, isUnharmed } from '../../prove/charsets.ts';
import { seedOfRun } from '../../support/test-random.ts';

it('text without a declared charset is decoded with its album as evidence, and alone only if it is certain', () => {
  const seed = seedOfRun();
  for (const counts of countEncodings(80, seed))
    expect(isRepaired(counts), `seed ${seed}: ${JSON.stringify(counts)}`).toBe(true);
});

it('correct text stays unchanged, in 20 languages', () => {
  const seed = seedOfRun();
  const languages = countRight(20 * 24, seed);
  expect(languages).toHaveLength(20);
  for (const counts of languages) expect(isUnharmed(counts), `seed ${seed}: ${JSON.stringify(counts)}`).toBe(true);
});
