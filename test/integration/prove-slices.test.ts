// Slices of `npm run prove -- artists`, `identity-files`, `kills`, `desktop` and `mending`.
import { expect, test } from 'vitest';
import { proveNamesakes } from '../prove/artists.ts';
import { killDesktop } from '../prove/desktop.ts';
import { findFileFailures } from '../prove/identity-files.ts';
import { ACTIVITIES, killWhile, type Activity } from '../prove/kills.ts';
import { flipStored } from '../prove/mending.ts';
import { seedOfRun } from '../support/random.ts';
import { toolOrWarn } from '../support/tools.ts';

const ffmpeg = toolOrWarn('ffmpeg', 'random changes of real files, with kills, are');

test.runIf(ffmpeg)('random changes of real files, with kills, lose nothing in either mode', async () => {
  expect(await findFileFailures(seedOfRun(), 2, 1)).toEqual([]);
});

test('writes that were acknowledged before a kill are there after it', async () => {
  const seed = seedOfRun();
  const activity = ACTIVITIES[seed % ACTIVITIES.length] as Activity;
  expect(await killWhile({ seed, mode: seed % 2 === 0 ? 'copy' : 'reference', activity, kills: 1 })).toEqual([]);
});

test.runIf(process.platform !== 'win32')(
  'a desktop app that is killed leaves nothing behind and loses nothing',
  async () => {
    expect((await killDesktop({ cycles: 3, seed: seedOfRun() })).faults).toEqual([]);
  },
);

test('a byte that changes in what is stored is mended where a good copy is left, and named where none is', async () => {
  expect(await flipStored(seedOfRun(), 3)).toEqual([]);
});

test('what is shown of an artist is never of a namesake', async () => {
  const { wrong, answerable, answered } = await proveNamesakes(seedOfRun(), 16);
  expect(wrong).toEqual([]);
  expect(answered).toBe(answerable);
});
