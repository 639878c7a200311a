// Whether requests are being served; long work on this thread then takes shorter turns.
import type { RequestHandler } from 'express';

const SERVING_FOR_MS = 1_000;
/** Questions whether a job or a scan is over: asked again and again, and nobody notices when an answer is late. */
const PROGRESS = /^(\/api\/v1\/jobs\/\d+|\/rest\/getScanStatus(\.view)?)$/;

export function createActivity({ now }: { now: () => Date }) {
  let servedAt = 0;
  return {
    /** Mounted first, to see every request. */
    notice: ((req, _res, next) => {
      if (!PROGRESS.test(req.path)) servedAt = now().getTime();
      next();
    }) satisfies RequestHandler,
    /** True for a second after the last request. An open event stream does not count, nor do questions for progress. */
    isServing: (): boolean => now().getTime() - servedAt < SERVING_FOR_MS,
  };
}
