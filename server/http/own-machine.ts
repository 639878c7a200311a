// Which requests come from a program on the machine itself, and not from somebody whose requests a proxy passes on.
import type { Request } from 'express';
import { forbidden, type AppError } from '../errors.ts';

const LOOPBACK_PEER = /^(?:::ffff:)?127(?:\.\d{1,3}){3}$|^::1$/i;
const LOOPBACK_HOST = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])(?::(\d{1,5}))?$/i;
/** Headers with which proxies, tunnels and content networks say for whom they ask. */
const FORWARDING = /^(?:forwarded|via|x-real-ip|(?:x-forwarded|x-original|x-proxy|x-envoy|cf|tailscale)\b.*)$/;
const CALLER = /(?:client-?ip|connecting-ip|cluster-ip|remote-(?:addr|ip|host|user))$/;
const HTTP_PORT = 80;

/**
 * True only where nothing speaks against it. A proxy here that is not in TRUSTED_PROXIES is recognized by a forwarding
 * header, by HTTP/1.0, or by a Host that is not this server's loopback address; with trusted proxies nobody counts as
 * the machine itself.
 */
export function isOwnMachine(req: Request): boolean {
  const { remoteAddress = '', localPort } = req.socket;
  const host = LOOPBACK_HOST.exec(req.headers.host ?? '');
  const trusted = req.app.get('trust proxy') as readonly string[] | undefined;
  return (
    LOOPBACK_PEER.test(remoteAddress) &&
    !trusted?.length &&
    req.httpVersion !== '1.0' &&
    host !== null &&
    Number(host[1] ?? HTTP_PORT) === localPort &&
    !Object.keys(req.headers).some((name) => FORWARDING.test(name) || CALLER.test(name))
  );
}

/** For an account with a weak password that was set on the machine itself. */
export const betterPasswordFirst = (): AppError =>
  forbidden(
    'Choose a better password first: the one of this account is easy to guess, so the account only works on the ' +
      'machine that Tonearm runs on. Change it there under "Your account", or with "tonearm user passwd", or ask an ' +
      'administrator for a new one.',
  );
