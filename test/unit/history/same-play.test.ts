import { expect, test } from 'vitest';
import { hearingMs, isHeard, samePlayWithinMs } from '../../../server/history/same-play.ts';

test.each([
  [200_000, 100_000],
  [10, 5],
  [479_999, 239_999.5],
  [480_000, 240_000],
  [3_600_000, 240_000],
  [null, 10_000],
  [0, 10_000],
])('a song of %s ms is heard after %s ms', (duration, heard) => {
  expect(hearingMs(duration)).toBe(heard);
});

test.each([
  [200_000, 99_999, false],
  [200_000, 100_000, true],
  [3_600_000, 239_999, false],
  [3_600_000, 240_000, true],
  [200_000, null, true],
  [null, 1, true],
  [200_000, 0, false],
])('of %s ms, %s ms heard: a play is %s', (duration, played, heard) => {
  expect(isHeard(duration, played)).toBe(heard);
});

test.each([
  [200_000, 100_000],
  [1_000, 2_000],
  [3_600_000, 240_000],
  [null, 10_000],
])('two reports of a song of %s ms closer than %s ms are of one play', (duration, within) => {
  expect(samePlayWithinMs(duration)).toBe(within);
});
