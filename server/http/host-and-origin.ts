// Checks to which host names the server answers (against DNS rebinding), and which origins may send requests (against
// CSRF).
import { isIP } from 'node:net';
import type { RequestHandler } from 'express';
import { AppError } from '../errors.ts';
import type { Log } from '../log/log.ts';

export interface HostNames {
  /** The value of ALLOWED_HOSTS. */
  allowedHosts: readonly string[];
  /** Whether other devices can reach the server, because it listens not only on loopback. */
  isShared: boolean;
  /** Returns the computer's own names. */
  ownNames: () => readonly string[];
}

/**
 * Returns whether the server answers to a host name. Unknown names are rejected, so that a page of another site cannot
 * reach this server through DNS rebinding. IP addresses, `localhost` and ALLOWED_HOSTS are always allowed; while the
 * server is shared, so are the computer's own names, `*.local` and names without a dot, which no site on the internet
 * can have.
 */
export function isAllowedHost(host: string | undefined, { allowedHosts, isShared, ownNames: own }: HostNames): boolean {
  const name = host && hostName(host);
  if (!name) return false;
  if (isIP(name) > 0 || name === 'localhost' || name.endsWith('.localhost') || allowedHosts.includes(name)) return true;
  return isShared && (name.endsWith('.local') || !name.includes('.') || own().includes(name));
}

/** Returns the name in lower case, without port and brackets. */
function hostName(host: string): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:/?#@\s]+))(?::\d{1,5})?$/i.exec(host);
  return (match?.[1] ?? match?.[2])?.toLowerCase().replace(/\.$/, '');
}

/** Each refused name is logged once, until this many have been logged. */
const MAX_LOGGED_NAMES = 50;
const MAX_LOGGED_LENGTH = 100;

/**
 * Checks `Host`, and the name that a trusted proxy forwards. Two `Host` headers are refused: Node keeps the first one,
 * but a proxy may have used the second.
 */
export function checkHost(names: () => HostNames, log: Pick<Log, 'warn'>): RequestHandler {
  const loggedNames = new Set<string>();
  return (req, _res, next) => {
    if ((req.headersDistinct['host'] ?? []).length > 1)
      throw new AppError('bad_request', 'A request must have one Host header.');
    const refusedHost = [req.headers.host, req.host].find((host) => !isAllowedHost(host, names()));
    if (refusedHost === undefined && isAllowedHost(req.headers.host, names())) return next();
    noteRefusal(refusedHost ?? '');
    throw new AppError('forbidden', 'This host name is not allowed. If it is yours, add it to ALLOWED_HOSTS.');
  };

  function noteRefusal(host: string): void {
    const name = host.slice(0, MAX_LOGGED_LENGTH);
    if (loggedNames.has(name) || loggedNames.size >= MAX_LOGGED_NAMES) return;
    loggedNames.add(name);
    log.warn({ host: name }, 'a request for this host name was refused; if it is yours, add it to ALLOWED_HOSTS');
  }
}

/** Checks requests to /api/v1: the Origin of a browser's cross-site request must be this host. */
export const checkOrigin: RequestHandler = (req, _res, next) => {
  const origin = req.headers.origin;
  if (origin !== undefined && !sameOrigin(origin, req.host))
    throw new AppError(
      'forbidden',
      'Cross-site requests are not allowed. A reverse proxy has to pass on the Host header of the browser.',
    );
  next();
};

function sameOrigin(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}
