import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { cutForLog, redactUrl, type Log } from '../log/log.ts';

/** Gives each request an id, and logs the request when its response has ended. */
export function requestLog(log: Log, now: () => Date): RequestHandler {
  return (req, res, next) => {
    const id = randomUUID();
    const startedMs = now().getTime();
    res.locals['requestId'] = id;
    res.set('X-Request-Id', id);
    res.once('close', () => {
      const error = res.locals['error'] as unknown;
      const isFault = error !== undefined && res.statusCode >= 500;
      if (!isFault && log.level !== 'debug' && log.level !== 'trace') return;
      const line = {
        request_id: id,
        method: req.method,
        url: redactUrl(cutForLog(req.originalUrl)),
        route: res.locals['route'] as string | undefined,
        user_id: res.locals['userId'] as number | undefined,
        status: res.statusCode,
        ms: now().getTime() - startedMs,
        ...(!res.writableFinished && { aborted: true }),
        ...(error !== undefined && { err: error }),
      };
      log[isFault ? 'error' : 'debug'](line, 'request');
    });
    next();
  };
}
