// Who a phone client is, by its app-password. The login password is never accepted here. The password is 138 random
// bits, so a right one is let through whatever was failed before: a second phone at home with an old password must not
// shut the first one out. Only failures are counted and slowed down.
import type { MainDb } from '../db/client.ts';
import type { UserId } from '../db/ids.ts';
import type { Principal } from '../http/route.ts';
import type { Log } from '../log/log.ts';
import { createAppPasswordCipher } from './app-passwords.ts';
import type { Limits } from './limits.ts';
import { prepareSeen } from './queries.ts';
import { usernameKey } from './username.ts';

/** `proves` says whether what the client sent fits the password. */
export type AppCredential = { apiKey: string } | { username: string; proves: (password: string) => boolean };

interface Row {
  id: UserId;
  username: string;
  isSuperuser: 0 | 1;
  sealed: Uint8Array | null;
  salt: Uint8Array | null;
  lastSeenAt: number | null;
}

export interface AppSignInDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  /** COMPAT_SECRET_KEY. */
  secretKey: string;
  limits: Limits;
}

const SEEN_EVERY_MS = 60_000;
const COLUMNS =
  'id, username, is_superuser AS isSuperuser, app_password AS sealed, app_password_salt AS salt, last_seen_at ' +
  'AS lastSeenAt';

export type AppSignIn = ReturnType<typeof createAppSignIn>;

export function createAppSignIn({ db, log, now, secretKey, limits }: AppSignInDeps) {
  const cipher = createAppPasswordCipher(secretKey);
  const byName = db.$client.prepare<[string], Row>(`SELECT ${COLUMNS} FROM users WHERE username_key = ?`);
  const byLookup = db.$client.prepare<[string], Row>(`SELECT ${COLUMNS} FROM users WHERE app_password_lookup = ?`);
  const { touch } = prepareSeen(db);
  const nobody = cipher.seal(0 as UserId, 'nobody has this password');

  /** The same work is done for a name that nobody has. */
  function byPassword(username: string, proves: (password: string) => boolean): Row | undefined {
    const row = byName.get(usernameKey(username));
    const has =
      row?.sealed && row.salt
        ? { id: row.id, sealed: Buffer.from(row.sealed), salt: Buffer.from(row.salt) }
        : { id: 0 as UserId, ...nobody };
    const password = cipher.open(has.id, has);
    const isRight = password !== undefined && proves(password);
    return isRight && has.id !== 0 ? row : undefined;
  }

  /** A request must not fail because this cannot be written. */
  function tryTouch({ id, lastSeenAt }: Row): void {
    const at = now();
    if (lastSeenAt !== null && Math.abs(at.getTime() - lastSeenAt) < SEEN_EVERY_MS) return;
    try {
      touch(id, at);
    } catch (error) {
      log.warn({ err: error, user_id: id }, 'last_seen_at not written');
    }
  }

  /**
   * Undefined when nobody proved anything. Throws `too_many_requests` after too many failures from the address or for
   * the name.
   */
  return async (credential: AppCredential, from: string | undefined): Promise<Principal | undefined> => {
    const row =
      'apiKey' in credential
        ? byLookup.get(cipher.lookup(credential.apiKey))
        : byPassword(credential.username, credential.proves);
    if (row) {
      tryTouch(row);
      return { id: row.id, username: row.username, isSuperuser: row.isSuperuser === 1 };
    }
    await limits.attempt(from, 'apiKey' in credential ? undefined : usernameKey(credential.username));
    return undefined;
  };
}
