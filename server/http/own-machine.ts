// Recognizes requests from a program on the machine itself, as opposed to clients behind a proxy on it.
import type { Request } from 'express';
import { forbidden, type AppError } from '../errors.ts';

const LOOPBACK_PEER = /^(?:::ffff:)?127(?:\.\d{1,3}){3}$|^::1$/i;
const LOOPBACK_HOST = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])(?::(\d{1,5}))?$/i;
/** Headers with which proxies, tunnels and CDNs forward the client's address. */
const FORWARDING_HEADER = /^(?:forwarded|via|x-real-ip|(?:x-forwarded|x-original|x-proxy|x-envoy|cf|tailscale)\b.*)$/;
const CALLER_HEADER = /(?:client-?ip|connecting-ip|cluster-ip|remote-(?:addr|ip|host|user))$/;
const HTTP_PORT = 80;

/**
 * Returns true only if nothing indicates a proxy. A proxy on this machine that is not in TRUSTED_PROXIES is recognized
 * by a forwarding header, by HTTP/1.0, or by a Host that is not this server's loopback address. With trusted proxies no
 * request counts as the machine's own.
 */
export function isOwnMachine(req: Request): boolean {
  const { remoteAddress = '', localPort } = req.socket;
  const host = LOOPBACK_HOST.exec(req.headers.host ?? '');
  const trustedProxies = req.app.get('trust proxy') as readonly string[] | undefined;
  return (
    LOOPBACK_PEER.test(remoteAddress) &&
    !trustedProxies?.length &&
    req.httpVersion !== '1.0' &&
    host !== null &&
    Number(host[1] ?? HTTP_PORT) === localPort &&
    !Object.keys(req.headers).some((name) => FORWARDING_HEADER.test(name) || CALLER_HEADER.test(name))
  );
}

/** Returns the error for an account whose weak password was set on the machine itself. */
export const betterPasswordRequired = (): AppError =>
  forbidden(
    'Choose a better password first: the one of this account is easy to guess, so the account only works on the ' +
      'machine that Tonearm runs on. Change it there under "Your account", or with "tonearm user passwd", or ask an ' +
      'administrator for a new one.',
  );
