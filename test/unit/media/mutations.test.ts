// Runs a small part of `npm run prove -- mutations`.
import { expect, it } from 'vitest';
import { goodFiles, mutate } from '../../prove/mutations.ts';
import { seedOfRun } from '../../support/test-random.ts';

it('damaged files of every format are read or refused with bounded work', async () => {
  const seed = seedOfRun();
  for (const [format, goodFile] of await goodFiles()) {
    const { readCount, refusedCount, faults } = await mutate(format, goodFile, 40, seed);
    expect([readCount + refusedCount, faults], format).toEqual([40, []]);
  }
});
