import { expect, test } from 'vitest';
import { beganWithinMs, samePlayWithinMs } from '../../../server/history/same-play.ts';

test.each([
  [200_000, 100_000],
  [1_000, 2_000],
  [3_600_000, 240_000],
  [null, 10_000],
  [0, 10_000],
])('two reports of a song of %s ms less than %s ms apart are one play', (duration, withinMs) => {
  expect(samePlayWithinMs(duration)).toBe(withinMs);
});

test.each([
  ['some minutes old is that of the start', 200_000, 100_000],
  ['a second old may be that of the end', 1_000, 220_000],
])('a time that is %s', (_, ageMs, withinMs) => {
  expect(beganWithinMs(200_000, 0, ageMs)).toBe(withinMs);
});

test('a recording of many hours is heard in several sittings', () => {
  expect(beganWithinMs(10 * 3_600_000, 0, 0)).toBeLessThan(2 * 3_600_000);
});
