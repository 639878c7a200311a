// Limits how many tasks run at a time. Further tasks wait in order; when too many wait, others are refused.
import { AppError } from '../errors.ts';

export function createConcurrencyLimit({ maxRunning, maxWaiting }: { maxRunning: () => number; maxWaiting: number }) {
  const waiters: (() => void)[] = [];
  let runningCount = 0;

  function leave(): void {
    runningCount--;
    while (runningCount < maxRunning() && waiters.length > 0) {
      runningCount++;
      waiters.shift()?.();
    }
  }

  return {
    /**
     * Resolves with a function to call at the end of the task. Rejects when aborted, and with `unavailable` when too
     * many are waiting.
     */
    async enter(signal: AbortSignal): Promise<() => void> {
      signal.throwIfAborted();
      if (runningCount < maxRunning()) runningCount++;
      else await waitForTurn(signal);
      let isInside = true;
      return () => {
        if (isInside) leave();
        isInside = false;
      };
    },
  };

  function waitForTurn(signal: AbortSignal): Promise<void> {
    if (waiters.length >= maxWaiting)
      throw new AppError('unavailable', 'Too many tracks are being converted. Try again in a moment.', {
        retryAfter: 10,
      });
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        waiters.splice(waiters.indexOf(admit), 1);
        reject(signal.reason as Error);
      };
      const admit = (): void => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      signal.addEventListener('abort', abort, { once: true });
      waiters.push(admit);
    });
  }
}
