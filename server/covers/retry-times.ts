// When the cover archive is asked again for an album: people add pictures over weeks, and a storage that is down comes
// back in hours. The time doubles with each attempt.

export type LookupResult = 'none' | 'unusable' | 'failed';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TIMES: Record<LookupResult, { first: number; longest: number }> = {
  none: { first: 7 * DAY_MS, longest: 56 * DAY_MS },
  unusable: { first: 14 * DAY_MS, longest: 56 * DAY_MS },
  failed: { first: 6 * HOUR_MS, longest: 7 * DAY_MS },
};

/** `tries`: attempts so far with the same result, 1 after the first. */
export const retryAfterMs = (result: LookupResult, tries: number): number =>
  Math.min(TIMES[result].longest, TIMES[result].first * 2 ** Math.min(tries - 1, 10));
