// A slice of `npm run prove -- identity`.
import { expect, test } from 'vitest';
import { findFailure } from '../prove/identity.ts';
import { seedOfRun } from '../support/random.ts';

test('random changes of the music folder lose nothing that people did, and put nothing on a wrong track', async () => {
  expect(await findFailure(seedOfRun(), 200)).toBeUndefined();
});
