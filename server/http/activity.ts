// Whether requests are being served; long work on this thread then takes shorter turns.
import type { RequestHandler, Response } from 'express';

const SERVING_MS = 1_000;
/** Polling for the progress of a job or scan, where a late answer goes unnoticed. */
const PROGRESS_PATH = /^(\/api\/v1\/jobs\/\d+|\/rest\/getScanStatus(\.view)?)$/;
/** Every open window has an event stream, used or not. */
const EVENTS_PATH = '/api/v1/events';
/** Browsers buffer for minutes. A player without a byte for longer is paused; its connection can last for days. */
const PAUSED_AFTER_MS = 10 * 60_000;

const movedBytes = ({ socket }: Response): number => (socket ? socket.bytesRead + socket.bytesWritten : 0);

export function createActivity({ now }: { now: () => Date }) {
  let lastRequestMs = 0;
  const openAnswers = new Map<Response, { bytes: number; movedAt: number }>();
  const isServing = (): boolean => now().getTime() - lastRequestMs < SERVING_MS;
  function isReceiving(res: Response): boolean {
    const progress = openAnswers.get(res);
    const [bytes, nowMs] = [movedBytes(res), now().getTime()];
    if (progress?.bytes === bytes) return nowMs - progress.movedAt < PAUSED_AFTER_MS;
    openAnswers.set(res, { bytes, movedAt: nowMs });
    return true;
  }

  return {
    /** Mounted first, to see every request. */
    trackRequests: ((req, res, next) => {
      if (!PROGRESS_PATH.test(req.path)) {
        lastRequestMs = now().getTime();
        if (req.path !== EVENTS_PATH) {
          openAnswers.set(res, { bytes: movedBytes(res), movedAt: lastRequestMs });
          res.once('close', () => openAnswers.delete(res));
        }
      }
      next();
    }) satisfies RequestHandler,
    /** True for a second after the last request, not counting open event streams and polling for progress. */
    isServing,
    /** Returns true also while a response is being sent: somebody listens to a stream or waits for a download. */
    isInUse: (): boolean => isServing() || [...openAnswers.keys()].some(isReceiving),
  };
}
