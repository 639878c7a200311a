// A circuit breaker: after a few failures in a row, nobody sends requests to the service for a while, because each
// caller would wait for the same failure. Then one caller may try, and its result counts for all.

export type Breaker = ReturnType<typeof createBreaker>;

interface BreakerOptions {
  /** The number of failures in a row after which requests are stopped. */
  failures?: number;
  /** Length of the first pause; each failed attempt doubles the pause. */
  pauseMs?: number;
  longestPauseMs?: number;
  /** Returns the time in milliseconds. */
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

  /** Returns whether requests are paused. A clock that was set back does not make the pause longer. */
  const isSilent = (): boolean => now() < silentUntil && silentUntil - now() <= longestPauseMs;

  return {
    /** Returns whether a request is allowed now. */
    mayAsk: (): boolean => !isSilent() && !isTrying,

    /**
     * To be called before a request; returns false if the request must not be sent. After a pause only the first caller
     * is let through, until it reports its result.
     */
    enter(): boolean {
      if (isSilent() || isTrying) return false;
      isTrying = failureCount >= failures;
      return true;
    },
    noteSuccess(): void {
      failureCount = 0;
      pause = pauseMs;
      isTrying = false;
      silentUntil = -Infinity;
    },
    noteFailure(): void {
      failureCount++;
      const wasTrying = isTrying;
      isTrying = false;
      if (failureCount < failures || isSilent()) return; // other requests that were under way fail for the same reason
      if (wasTrying) pause = Math.min(longestPauseMs, pause * 2);
      silentUntil = now() + pause;
    },
    /** Reports that the caller gave up its request without a result. */
    noteAbandoned(): void {
      isTrying = false;
    },
    /** Closes the breaker after an address or a key was changed: earlier failures no longer count. */
    reset(): void {
      failureCount = 0;
      pause = pauseMs;
      isTrying = false;
      silentUntil = -Infinity;
    },
  };
}
