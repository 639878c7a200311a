// Runs a small part of `npm run prove -- retagged-albums`.
import { expect, test } from 'vitest';
import { playRetagged } from '../prove/retagged-albums.ts';

test('albums that are tagged anew in several sittings keep what people did', async () => {
  expect(await playRetagged({ albums: 24, isWatched: false, mode: 'reference' })).toEqual([]);
});
