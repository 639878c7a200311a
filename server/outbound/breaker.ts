// Protects callers from a service that cannot be reached: after a few failures in a row, nobody asks for a while,
// because every track would wait for the same failure. Then one caller may try, and its result counts for all.

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
    /** The caller that was allowed to try gave up without an answer. */
    left(): void {
      isTrying = false;
    },
    /** Closes the breaker, because an address or a key was changed: former failures mean nothing. */
    reset(): void {
      failureCount = 0;
      pause = pauseMs;
      isTrying = false;
      silentUntil = -Infinity;
    },
  };
}
