// Middleware of every request: request id, security headers, log line, and the Host and Origin checks (DNS rebinding,
// CSRF).
import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { AppError } from '../errors.ts';
import { redactUrl, type Log } from '../log/log.ts';
import { sendProblem, toProblem } from './problem.ts';

/** Everything from this server only, nothing inline. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "connect-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer', // stream URLs hold tokens
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
};

export function requestLine(log: Log, now: () => Date): RequestHandler {
  return (req, res, next) => {
    const id = randomUUID();
    const started = now().getTime();
    res.locals['requestId'] = id;
    res.set('X-Request-Id', id).set(HEADERS);
    res.once('close', () => {
      const error = res.locals['error'] as unknown;
      const line = {
        request_id: id,
        method: req.method,
        url: redactUrl(req.originalUrl),
        route: res.locals['route'] as string | undefined,
        user_id: res.locals['userId'] as number | undefined,
        status: res.statusCode,
        ms: now().getTime() - started,
        ...(!res.writableFinished && { aborted: true }),
        ...(error !== undefined && { err: error }),
      };
      if (error !== undefined && res.statusCode >= 500) log.error(line, 'request');
      else log.debug(line, 'request');
    });
    next();
  };
}

/**
 * Rejects unknown host names, so that a page of another site cannot reach a loopback server through DNS rebinding. IP
 * addresses, `localhost`, `*.local` and names without a dot are allowed; others are listed in ALLOWED_HOSTS.
 */
export function isAllowedHost(host: string | undefined, allowed: readonly string[]): boolean {
  if (!host) return false;
  const name = hostName(host);
  if (name === undefined) return false;
  return (
    isIP(name) > 0 ||
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name.endsWith('.local') ||
    !name.includes('.') ||
    allowed.includes(name)
  );
}

/** Lower case, without port and brackets. */
function hostName(host: string): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:/?#@\s]+))(?::\d{1,5})?$/i.exec(host);
  return (match?.[1] ?? match?.[2])?.toLowerCase().replace(/\.$/, '');
}

export function checkHost(allowed: () => readonly string[]): RequestHandler {
  return (req, _res, next) => {
    if (!isAllowedHost(req.headers.host, allowed()))
      throw new AppError('forbidden', 'This host name is not allowed. If it is yours, add it to ALLOWED_HOSTS.');
    next();
  };
}

/** For /api/v1: browsers send an Origin with cross-site requests; it has to be this host. */
export const checkOrigin: RequestHandler = (req, _res, next) => {
  const origin = req.headers.origin;
  if (origin !== undefined && !sameOrigin(origin, req.headers.host))
    throw new AppError('forbidden', 'Cross-site requests are not allowed.');
  next();
};

function sameOrigin(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}

export const notFoundHandler: RequestHandler = (req) => {
  throw new AppError('not_found', `There is nothing at ${req.path}.`);
};

export function errorHandler(log: Log) {
  return (error: unknown, req: Request, res: Response, _next: NextFunction): void => {
    const { unexpected, problem } = toProblem(error);
    if (unexpected || problem.status >= 500) res.locals['error'] = error;
    if (res.headersSent) {
      log.debug({ request_id: res.locals['requestId'] as string, err: error }, 'response cut short');
      return void req.destroy();
    }
    sendProblem(res, error);
  };
}
