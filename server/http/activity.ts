// Tells whether requests are being served; then long work on this thread takes shorter turns.
import type { RequestHandler, Response } from 'express';

const SERVING_MS = 1_000;
/** Requests that poll for the progress of a job or scan. A late response to them does not matter. */
const PROGRESS_PATH = /^(\/api\/v1\/jobs\/\d+|\/rest\/getScanStatus(\.view)?)$/;
/** The event stream, which every open window has, used or not. */
const EVENTS_PATH = '/api/v1/events';
/**
 * A player that has not read a byte for this time is paused; its connection may last for days. Shorter pauses are
 * normal, because browsers buffer for minutes.
 */
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
    /** Counts requests. It is the first middleware, so that it sees every request. */
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
    /** Returns true for a second after the last request. Open event streams and polling for progress do not count. */
    isServing,
    /**
     * Returns true also while a response is being sent, because somebody listens to a stream or waits for a download.
     */
    isInUse: (): boolean => isServing() || [...openAnswers.keys()].some(isReceiving),
  };
}
