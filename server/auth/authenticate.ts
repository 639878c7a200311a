// Authenticates API requests by the `Authorization: Bearer` header, or by the `token` parameter where a client cannot
// send headers.
import type { Request } from 'express';
import type { MainDb } from '../db/client.ts';
import { rightsFrom } from '../db/rights.ts';
import type { Authenticate, TokenSource } from '../http/mount.ts';
import type { Principal } from '../http/route.ts';
import type { Log } from '../log/log.ts';
import { prepareFindPrincipal, prepareNoteUse, prepareTouch, type Caller, type PrincipalRow } from './queries.ts';
import { isOwnMachine } from '../http/own-machine.ts';
import { downloadScope, type TokenClaims, type Tokens } from './tokens.ts';

const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;
/** Not decoded first: `%74oken=` would pass, and the log would not redact it. */
const PARAMETER = /[?&]token=([^&#]*)/g;
const SEEN_EVERY_MS = 60_000;

interface AuthenticateDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  tokens: Tokens;
}

export function createAuthenticate({ db, log, now, tokens }: AuthenticateDeps): Authenticate {
  const find = prepareFindPrincipal(db);
  const tryTouch = createTryTouch({ db, log, now, table: 'sessions' });

  return (req, from) => {
    const token = onlyToken(req, from.query);
    const claims = token === undefined ? undefined : tokens.verify(token);
    if (!claims || !fits(claims, req, from)) return undefined;
    const user = find(claims.sessionId, claims.userId, now());
    // deleted, ended, expired, or the password changed
    if (!user || user.tokenVersion !== claims.version) return undefined;
    const caller = callerOf(req);
    tryTouch(user, { id: user.sessionId, lastUsedAt: user.lastUsedAt }, caller);
    return { ...toPrincipal(user, caller), sessionId: user.sessionId };
  };
}

/** A token for URLs does not work for anything else. */
function fits({ scope }: TokenClaims, req: Request, { query, scope: needed = 'media' }: TokenSource): boolean {
  if (scope === undefined) return true;
  return query && scope === (needed === 'download' ? downloadScope(req.url) : needed);
}

/**
 * A bearer header counts before the parameter, and an empty parameter is none. A request with two tokens of one kind,
 * even equal ones, counts as one without. Other schemes (a proxy's Basic) are ignored.
 */
function onlyToken(req: Request, query: boolean): string | undefined {
  const headers = (req.headersDistinct['authorization'] ?? []).filter((header) => /^Bearer\b/i.test(header));
  const parameters = query ? [...req.originalUrl.matchAll(PARAMETER)].flatMap(([, value]) => value || []) : [];
  const tokens = headers.length > 0 ? headers.map((header) => BEARER.exec(header)?.[1]) : parameters;
  return tokens.length === 1 ? tokens[0] : undefined;
}

export const callerOf = (req: Request): Caller => ({
  from: req.ip,
  client: req.headers['user-agent'],
  isHere: isOwnMachine(req),
});

interface Used {
  id: number;
  lastUsedAt: number | null;
}

/**
 * Writes when the user was seen, and when and from where the session or app password was used; each at most once a
 * minute. A request must not fail because of it (full disk, database busy).
 */
export function createTryTouch({
  db,
  log,
  now,
  table,
}: Pick<AuthenticateDeps, 'db' | 'log' | 'now'> & { table: 'sessions' | 'app_passwords' }) {
  const touch = prepareTouch(db);
  const noteUse = prepareNoteUse(db, table);
  return ({ id, lastSeenAt }: Pick<PrincipalRow, 'id' | 'lastSeenAt'>, used: Used, caller: Caller): void => {
    const at = now();
    const isDue = (last: number | null): boolean => last === null || Math.abs(at.getTime() - last) >= SEEN_EVERY_MS;
    try {
      if (isDue(lastSeenAt)) touch(id, at);
      if (isDue(used.lastUsedAt)) noteUse(used.id, at, caller);
    } catch (error) {
      log.warn({ err: error, user_id: id }, 'last use not written');
    }
  };
}

export function toPrincipal(user: PrincipalRow, { isHere }: Pick<Caller, 'isHere'>): Principal {
  const isSuperuser = user.isSuperuser === 1;
  return {
    id: user.id,
    username: user.username,
    isSuperuser,
    rights: rightsFrom((right) => isSuperuser || user[right] === 1),
    maxBitrateKbps: user.maxBitrateKbps,
    ...(user.hasWeakPassword === 1 && !isHere && { needsBetterPassword: true as const }),
  };
}
