import { describe, expect, it } from 'vitest';
import { backoffMs } from '../../../server/jobs/backoff.ts';

const DOWNLOAD_BACKOFF = { firstMs: 2_000, factor: 2, capMs: 300_000 };

describe('backoff', () => {
  it.each([
    [1, 2_000],
    [2, 4_000],
    [3, 8_000],
    [4, 16_000],
  ])('doubles from two seconds: attempt %i waits %i ms', (attempt, expected) => {
    expect(backoffMs(DOWNLOAD_BACKOFF, attempt, 0.5)).toBe(expected);
  });

  it.each([
    [0, 1_600],
    [0.25, 1_800],
    [1, 2_400],
  ])('has a jitter of 0.8 to 1.2: random %d is %i ms', (random, expected) => {
    expect(backoffMs(DOWNLOAD_BACKOFF, 1, random)).toBe(expected);
  });

  it('never waits longer than the cap, jitter included', () => {
    expect(backoffMs(DOWNLOAD_BACKOFF, 9, 1)).toBe(300_000);
    expect(backoffMs(DOWNLOAD_BACKOFF, 2_000, 0.5)).toBe(300_000);
  });

  it('still spreads waits that the cap limited', () => {
    expect(backoffMs(DOWNLOAD_BACKOFF, 2_000, 0)).toBe(240_000);
  });
});
