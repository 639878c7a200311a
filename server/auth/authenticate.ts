// Who sent a request: a bearer header, or the `token` parameter where headers cannot be sent.
import type { Request } from 'express';
import type { MainDb } from '../db/client.ts';
import type { Authenticate } from '../http/mount.ts';
import type { Principal } from '../http/route.ts';
import type { Log } from '../log/log.ts';
import { prepareSeen, type SeenUser } from './queries.ts';
import type { Tokens } from './tokens.ts';

const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;
/** Only as it is spelled: `%74oken=` would be a token that the log does not know how to take out. */
const PARAMETER = /[?&]token=([^&#]*)/g;
const SEEN_EVERY_MS = 60_000;

export interface AuthenticateDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  tokens: Tokens;
}

export function createAuthenticate({ db, log, now, tokens }: AuthenticateDeps): Authenticate {
  const users = prepareSeen(db);

  /** A request must not fail because this cannot be written (full disk, database busy). */
  const tryTouch = (user: SeenUser): void => {
    const at = now();
    if (user.last_seen_at !== null && Math.abs(at.getTime() - user.last_seen_at) < SEEN_EVERY_MS) return;
    try {
      users.touch(user.id, at);
    } catch (error) {
      log.warn({ err: error, user_id: user.id }, 'last_seen_at not written');
    }
  };

  return (req, from) => {
    const token = onlyToken(req, from.query);
    const claims = token === undefined ? undefined : tokens.verify(token);
    if (!claims) return undefined;
    const user = users.find(claims.userId);
    if (!user || user.token_version !== claims.version) return undefined; // deleted, or the password changed
    tryTouch(user);
    return toPrincipal(user);
  };
}

/**
 * Two tokens, even equal ones, are none: which of them was meant is not for us to guess. Other schemes (a proxy's
 * Basic) are not tokens.
 */
function onlyToken(req: Request, query: boolean): string | undefined {
  const found: (string | undefined)[] = (req.headersDistinct['authorization'] ?? [])
    .filter((header) => /^Bearer\b/i.test(header))
    .map((header) => BEARER.exec(header)?.[1]);
  if (query) for (const [, value] of req.originalUrl.matchAll(PARAMETER)) found.push(value);
  return found.length === 1 ? found[0] : undefined;
}

const toPrincipal = (user: SeenUser): Principal => ({
  id: user.id,
  username: user.username,
  isSuperuser: user.is_superuser === 1,
});
