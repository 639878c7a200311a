import { expect, it } from 'vitest';
import { retryAfterMs, type LookupResult } from '../../../server/covers/retry-times.ts';

const HOUR_MS = 3_600_000;

it.each<[LookupResult, number[]]>([
  ['none', [7, 14, 28, 56, 56].map((days) => days * 24)],
  ['unusable', [14, 28, 56, 56].map((days) => days * 24)],
  ['failed', [6, 12, 24, 48, 96, 168, 168]],
])('%s is requested again after so many hours, later each time', (result, hours) => {
  expect(hours.map((_, i) => retryAfterMs(result, i + 1) / HOUR_MS)).toEqual(hours);
  expect(retryAfterMs(result, 1_000)).toBe(retryAfterMs(result, hours.length));
});
