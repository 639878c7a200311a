import { expect, test } from 'vitest';
import { countsAsPlayed, requiredPlayMs } from '../../../server/history/counts-as-played.ts';

test.each([
  [200_000, 100_000],
  [10, 5],
  [479_999, 239_999.5],
  [480_000, 240_000],
  [3_600_000, 240_000],
  [null, 240_000],
  [0, 240_000],
  [Number.NaN, 240_000], // the duration is not known yet
])('a track of %s ms counts as played after %s ms', (duration, requiredMs) => {
  expect(requiredPlayMs(duration)).toBe(requiredMs);
});

test.each([
  [200_000, 99_999, false],
  [200_000, 100_000, true],
  [3_600_000, 239_999, false],
  [3_600_000, 240_000, true],
  [200_000, 0, false],
  [null, 10_000, false],
])('of %s ms, %s ms were played: this counts as a play: %s', (duration, playedMs, isPlay) => {
  expect(countsAsPlayed(playedMs, duration)).toBe(isPlay);
});
