// Computes how long to wait after a failed attempt. Pure; the result is stored as a due time, so it survives a restart.

export interface Backoff {
  /** Wait after the first failure, in milliseconds. */
  firstMs: number;
  factor: number;
  /** Longest wait, in milliseconds. */
  capMs: number;
}

export const DEFAULT_BACKOFF: Backoff = { firstMs: 2_000, factor: 2, capMs: 300_000 };

/**
 * Returns the milliseconds to wait after failed attempt number `attempt` (1 is the first): firstMs ×
 * factor^(attempt-1), capped, × a jitter of 0.8 to 1.2. `random` is 0..1. The wait is capped before the jitter, so that
 * long waits differ, too, and after it, so that the cap holds.
 */
export function backoffMs({ firstMs, factor, capMs }: Backoff, attempt: number, random: number): number {
  const plannedMs = Math.min(capMs, firstMs * factor ** (attempt - 1));
  return Math.round(Math.min(capMs, plannedMs * (0.8 + 0.4 * random)));
}
