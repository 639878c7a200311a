// When a service cannot be reached, asking it again for every track would make each of them wait. After a few failures
// in a row nobody asks for a while; then one may try, and tells the others.

export type Breaker = ReturnType<typeof createBreaker>;

interface BreakerOptions {
  /** Failures in a row after which nobody asks. */
  failures?: number;
  /** Length of the first pause; it doubles with each failed attempt. */
  pauseMs?: number;
  longestPauseMs?: number;
  /** Milliseconds. */
  now?: () => number;
}

export function createBreaker({
  failures = 2,
  pauseMs = 30_000,
  longestPauseMs = 600_000,
  now = () => performance.now(),
}: BreakerOptions = {}) {
  let failureCount = 0;
  let pause = pauseMs;
  let silentUntil = -Infinity;
  let isTrying = false;

  /** A clock that was set back does not make it longer. */
  const isSilent = (): boolean => now() < silentUntil && silentUntil - now() <= longestPauseMs;

  return {
    /** Whether a request is allowed now. */
    mayAsk: (): boolean => !isSilent() && !isTrying,

    /**
     * Call before asking: false means do not. After a pause only the first is let through, until it said how it went.
     */
    enter(): boolean {
      if (isSilent() || isTrying) return false;
      isTrying = failureCount >= failures;
      return true;
    },
    succeeded(): void {
      failureCount = 0;
      pause = pauseMs;
      isTrying = false;
      silentUntil = -Infinity;
    },
    failed(): void {
      failureCount++;
      const wasTrying = isTrying;
      isTrying = false;
      if (failureCount < failures || isSilent()) return; // others that were under way fail with the same cause
      if (wasTrying) pause = Math.min(longestPauseMs, pause * 2);
      silentUntil = now() + pause;
    },
    /** The one that was let through gave up without an answer. */
    left(): void {
      isTrying = false;
    },
    /** Something was changed (an address, a key): the past says nothing. */
    reset(): void {
      failureCount = 0;
      pause = pauseMs;
      isTrying = false;
      silentUntil = -Infinity;
    },
  };
}
