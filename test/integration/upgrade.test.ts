// Data folders of the first release open with nothing lost. `npm run prove -- migrations` does the same with 100,000
// tracks and more kills; `npm run prove -- regroupings` regroups the albums of 20,000.
import { expect, test } from 'vitest';
import { openWithKills } from '../prove/migrations.ts';
import { regroupWithKills } from '../prove/regroupings.ts';
import { EARLIER_VERSIONS } from '../support/earlier-albums.ts';
import { startFakeS3 } from '../fakes/s3.ts';
import { seedOfRun } from '../support/test-random.ts';

test('a library of 0.1.0 whose files are only indexed opens after kills in the middle of its migrations', async () => {
  const proof = await openWithKills('reference', { tracks: 300, kills: 2, seed: seedOfRun() });
  expect(proof).toEqual({ kills: 2, changedTables: [] });
});

test('a library of 0.1.0 on a disk or in an object store opens', async () => {
  const fake = await startFakeS3();
  const env = { STORAGE_BACKEND: 's3', ...fake.settings };
  expect(await openWithKills('local', { tracks: 60, kills: 0, seed: 1 })).toEqual({ kills: 0, changedTables: [] });
  expect(await openWithKills('s3', { tracks: 60, kills: 0, seed: 1, env })).toEqual({ kills: 0, changedTables: [] });
  await fake.close();
});

test('albums of earlier versions become others after kills, lose nothing, and can be had back', async () => {
  const seed = seedOfRun();
  const version = EARLIER_VERSIONS[seed % EARLIER_VERSIONS.length] ?? '0.1.0';
  const { faults, changedNames } = await regroupWithKills({ version, tracks: 400, kills: 4, seed });
  expect(faults).toEqual([]);
  expect(changedNames).toBeGreaterThan(0);
});
