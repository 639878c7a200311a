// Whether requests are being served; long work on this thread then takes shorter turns.
import type { RequestHandler } from 'express';

const SERVING_FOR_MS = 1_000;

export function createActivity({ now }: { now: () => Date }) {
  let servedAt = 0;
  return {
    /** Mounted first, to see every request. */
    notice: ((_req, _res, next) => {
      servedAt = now().getTime();
      next();
    }) satisfies RequestHandler,
    /** True for a second after the last request. An open event stream does not count. */
    isServing: (): boolean => now().getTime() - servedAt < SERVING_FOR_MS,
  };
}
