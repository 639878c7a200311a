// Authenticates Subsonic clients by their app password; the login password is never accepted. With 138 random bits it
// cannot be guessed, so a correct one is accepted regardless of earlier failures: a second phone at the same address
// with an old password must not lock out the first. Only failures count towards the limits.
import type { MainDb } from '../db/client.ts';
import type { UserId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { users } from '../db/schema.ts';
import type { Principal } from '../http/route.ts';
import type { Log } from '../log/log.ts';
import { createAppPasswordCipher } from './app-passwords.ts';
import { createTryTouch, toPrincipal } from './authenticate.ts';
import type { Limits } from './sign-in-limits.ts';
import { PRINCIPAL_COLUMNS, type PrincipalRow } from './queries.ts';
import { usernameKey } from './username.ts';

/** `proves` says whether what the client sent matches the password. */
export type AppCredential = { apiKey: string } | { username: string; proves: (password: string) => boolean };

type Row = PrincipalRow & RowAs<typeof users, 'appPassword' | 'appPasswordSalt'>;

export interface AppSignInDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  /** COMPAT_SECRET_KEY. */
  secretKey: string;
  limits: Limits;
}

const COLUMNS = `${PRINCIPAL_COLUMNS}, app_password AS appPassword, app_password_salt AS appPasswordSalt`;

export type AppSignIn = ReturnType<typeof createAppSignIn>;

export function createAppSignIn({ db, log, now, secretKey, limits }: AppSignInDeps) {
  const cipher = createAppPasswordCipher(secretKey);
  const byName = db.$client.prepare<[string], Row>(`SELECT ${COLUMNS} FROM users WHERE username_key = ?`);
  const byLookup = db.$client.prepare<[string], Row>(`SELECT ${COLUMNS} FROM users WHERE app_password_lookup = ?`);
  const tryTouch = createTryTouch({ db, log, now });
  const nobody = cipher.seal(0 as UserId, 'nobody has this password');

  /** Takes as long for an unknown name, so that the time does not reveal which names exist. */
  function byPassword(username: string, proves: (password: string) => boolean): Row | undefined {
    const row = byName.get(usernameKey(username));
    const has =
      row?.appPassword && row.appPasswordSalt
        ? { id: row.id, sealed: row.appPassword, salt: row.appPasswordSalt }
        : { id: 0 as UserId, ...nobody };
    const password = cipher.open(has.id, has);
    const isRight = password !== undefined && proves(password);
    return isRight && has.id !== 0 ? row : undefined;
  }

  /**
   * Undefined when the credential is wrong. Throws `too_many_requests` after too many failures from the address or for
   * the name.
   */
  return async (credential: AppCredential, from: string | undefined): Promise<Principal | undefined> => {
    const row =
      'apiKey' in credential
        ? byLookup.get(cipher.lookup(credential.apiKey))
        : byPassword(credential.username, credential.proves);
    if (row) {
      tryTouch(row);
      return toPrincipal(row);
    }
    await limits.attempt(from, 'apiKey' in credential ? undefined : usernameKey(credential.username));
    return undefined;
  };
}
