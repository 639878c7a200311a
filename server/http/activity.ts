// Whether requests are being served; long work on this thread then takes shorter turns.
import type { RequestHandler, Response } from 'express';

const SERVING_FOR_MS = 1_000;
/** Questions whether a job or a scan is over: asked again and again, and nobody notices when an answer is late. */
const PROGRESS = /^(\/api\/v1\/jobs\/\d+|\/rest\/getScanStatus(\.view)?)$/;
/** Every open window has one, whether somebody uses it or not. */
const EVENTS = '/api/v1/events';
/** Browsers fetch ahead for minutes. After longer without a byte the player is paused; its connection can last days. */
const PAUSED_AFTER_MS = 10 * 60_000;

const movedBytes = ({ socket }: Response): number => (socket ? socket.bytesRead + socket.bytesWritten : 0);

export function createActivity({ now }: { now: () => Date }) {
  let servedAt = 0;
  const openAnswers = new Map<Response, { bytes: number; movedAt: number }>();
  const isServing = (): boolean => now().getTime() - servedAt < SERVING_FOR_MS;
  function isMoving(res: Response): boolean {
    const last = openAnswers.get(res);
    const [bytes, nowMs] = [movedBytes(res), now().getTime()];
    if (last?.bytes === bytes) return nowMs - last.movedAt < PAUSED_AFTER_MS;
    openAnswers.set(res, { bytes, movedAt: nowMs });
    return true;
  }

  return {
    /** Mounted first, to see every request. */
    notice: ((req, res, next) => {
      if (!PROGRESS.test(req.path)) {
        servedAt = now().getTime();
        if (req.path !== EVENTS) {
          openAnswers.set(res, { bytes: movedBytes(res), movedAt: servedAt });
          res.once('close', () => openAnswers.delete(res));
        }
      }
      next();
    }) satisfies RequestHandler,
    /** True for a second after the last request. An open event stream does not count, nor do questions for progress. */
    isServing,
    /** The same, and true as long as an answer goes out: somebody listens to a stream or waits for a download. */
    isInUse: (): boolean => isServing() || [...openAnswers.keys()].some(isMoving),
  };
}
