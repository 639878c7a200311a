// Whether requests are being served; long work on this thread then takes shorter turns.
import type { RequestHandler } from 'express';

const SERVING_FOR_MS = 1_000;
/** Questions whether a job or a scan is over: asked again and again, and nobody notices when an answer is late. */
const PROGRESS = /^(\/api\/v1\/jobs\/\d+|\/rest\/getScanStatus(\.view)?)$/;
/** Every open window has one, whether somebody uses it or not. */
const EVENTS = '/api/v1/events';

export function createActivity({ now }: { now: () => Date }) {
  let servedAt = 0;
  let openAnswers = 0;
  const isServing = (): boolean => now().getTime() - servedAt < SERVING_FOR_MS;
  return {
    /** Mounted first, to see every request. */
    notice: ((req, res, next) => {
      if (!PROGRESS.test(req.path)) {
        servedAt = now().getTime();
        if (req.path !== EVENTS) {
          openAnswers++;
          res.once('close', () => openAnswers--);
        }
      }
      next();
    }) satisfies RequestHandler,
    /** True for a second after the last request. An open event stream does not count, nor do questions for progress. */
    isServing,
    /** The same, and true as long as an answer goes out: somebody listens to a stream or waits for a download. */
    isInUse: (): boolean => openAnswers > 0 || isServing(),
  };
}
