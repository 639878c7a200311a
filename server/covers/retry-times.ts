// Decides when an album is looked up in the cover archive again: people add pictures over weeks, and a storage that is
// down comes back in hours. The time doubles with each attempt.

export type LookupResult = 'none' | 'unusable' | 'failed';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RETRY_TIMES: Record<LookupResult, { firstMs: number; maxMs: number }> = {
  none: { firstMs: 7 * DAY_MS, maxMs: 56 * DAY_MS },
  unusable: { firstMs: 14 * DAY_MS, maxMs: 56 * DAY_MS },
  failed: { firstMs: 6 * HOUR_MS, maxMs: 7 * DAY_MS },
};

/**
 * Returns the time until the next lookup. `tries` is the number of attempts with the same result, 1 after the first
 * attempt.
 */
export const retryAfterMs = (result: LookupResult, tries: number): number =>
  Math.min(RETRY_TIMES[result].maxMs, RETRY_TIMES[result].firstMs * 2 ** Math.min(tries - 1, 10));
