// At most so many at once; the next ones wait in order, and beyond a limit they are refused.
import { AppError } from '../errors.ts';

export function createConcurrencyLimit({ atOnce, mostWaiting }: { atOnce: () => number; mostWaiting: number }) {
  const waiting: (() => void)[] = [];
  let inside = 0;

  function leave(): void {
    inside--;
    while (inside < atOnce() && waiting.length > 0) {
      inside++;
      waiting.shift()?.();
    }
  }

  return {
    /** Resolves with a function to leave. Rejects when aborted, and with `unavailable` when too many wait already. */
    async enter(signal: AbortSignal): Promise<() => void> {
      signal.throwIfAborted();
      if (inside < atOnce()) inside++;
      else await turn(signal);
      let isInside = true;
      return () => {
        if (isInside) leave();
        isInside = false;
      };
    },
  };

  function turn(signal: AbortSignal): Promise<void> {
    if (waiting.length >= mostWaiting)
      throw new AppError('unavailable', 'Too many tracks are being converted. Try again in a moment.', {
        retryAfter: 10,
      });
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        waiting.splice(waiting.indexOf(enter), 1);
        reject(signal.reason as Error);
      };
      const enter = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.push(enter);
    });
  }
}
