// The cookie of a guest who entered the password of a share. It is derived from the hash of the password, so it needs
// no storage, and it ends when the password changes.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import type { ShareRow } from './queries.ts';

const COOKIE = 'tonearm_share';

type Protected = Pick<ShareRow, 'token' | 'passwordHash'>;

const passOf = ({ token, passwordHash }: Protected): string =>
  createHmac('sha256', passwordHash ?? '')
    .update(token)
    .digest('base64url');

/** Returns the cookie of a request. The browser sends only the one of the share that the address names. */
export const readPass = (req: Request): string | undefined =>
  req.headers.cookie
    ?.split(';')
    .map((cookie) => cookie.trim())
    .find((cookie) => cookie.startsWith(`${COOKIE}=`))
    ?.slice(COOKIE.length + 1);

/** Returns whether the share has no password, or the pass was given for its current one. */
export function opens(pass: string | undefined, share: Protected): boolean {
  if (share.passwordHash === null) return true;
  const [given, expected] = [Buffer.from(pass ?? ''), Buffer.from(passOf(share))];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Gives the pass to the browser until it is closed, for the addresses of this share only. */
export const givePass = (req: Request, res: Response, share: Protected): void =>
  void res.cookie(COOKIE, passOf(share), {
    path: `/share/${share.token}`,
    httpOnly: true,
    sameSite: 'lax',
    secure: req.secure,
  });
