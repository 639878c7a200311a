// Which names the server answers to (against DNS rebinding), and which sites a browser may ask from (against CSRF).
import { isIP } from 'node:net';
import type { RequestHandler } from 'express';
import { AppError } from '../errors.ts';

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

/**
 * Checks `Host`, and the name that a trusted proxy passes on, which a page may have sent through it. Node keeps the
 * first of two `Host` headers; a proxy in front may have used the second.
 */
export function checkHost(allowed: () => readonly string[]): RequestHandler {
  return (req, _res, next) => {
    if ((req.headersDistinct['host'] ?? []).length > 1)
      throw new AppError('bad_request', 'A request must have one Host header.');
    if (!isAllowedHost(req.headers.host, allowed()) || !isAllowedHost(req.host, allowed()))
      throw new AppError('forbidden', 'This host name is not allowed. If it is yours, add it to ALLOWED_HOSTS.');
    next();
  };
}

/** For /api/v1: browsers send an Origin with cross-site requests; it has to be this host. */
export const checkOrigin: RequestHandler = (req, _res, next) => {
  const origin = req.headers.origin;
  if (origin !== undefined && !sameOrigin(origin, req.host))
    throw new AppError('forbidden', 'Cross-site requests are not allowed.');
  next();
};

function sameOrigin(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}
