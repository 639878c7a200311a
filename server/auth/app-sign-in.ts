// Authenticates Subsonic clients by their app password; the login password is never accepted. With 138 random bits it
// cannot be guessed, so a correct one is accepted regardless of earlier failures: a second phone at the same address
// with an old password must not lock out the first. Only failures count towards the limits.
import type { MainDb } from '../db/client.ts';
import type { AppPasswordId, UserId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { appPasswords } from '../db/schema.ts';
import type { Principal } from '../http/route.ts';
import type { Log } from '../log/log.ts';
import { createAppPasswordCipher } from './app-passwords.ts';
import { createTryTouch, toPrincipal } from './authenticate.ts';
import { MOST_APP_PASSWORDS } from './named-app-passwords.ts';
import type { Limits } from './sign-in-limits.ts';
import { PRINCIPAL_COLUMNS, type Caller, type PrincipalRow } from './queries.ts';
import { usernameKey } from './username.ts';

/** `proves` says whether what the client sent matches the password. */
export type AppCredential = { apiKey: string } | { username: string; proves: (password: string) => boolean };

type Row = PrincipalRow & { passwordId: AppPasswordId } & RowAs<typeof appPasswords, 'sealed' | 'salt' | 'lastUsedAt'>;

interface AppSignInDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  /** COMPAT_SECRET_KEY. */
  secretKey: string;
  limits: Limits;
}

const SELECT = `SELECT ${PRINCIPAL_COLUMNS}, a.id AS passwordId, sealed, salt, last_used_at AS lastUsedAt
  FROM app_passwords a JOIN users ON users.id = a.user_id`;

export type AppSignIn = ReturnType<typeof createAppSignIn>;

export function createAppSignIn({ db, log, now, secretKey, limits }: AppSignInDeps) {
  const cipher = createAppPasswordCipher(secretKey);
  // the latest used first, which is mostly the one
  const byName = db.$client.prepare<[string], Row>(`${SELECT} WHERE username_key = +? ORDER BY last_used_at DESC`);
  const byLookup = db.$client.prepare<[string], Row>(`${SELECT} WHERE lookup = ?`);
  const tryTouch = createTryTouch({ db, log, now, table: 'app_passwords' });
  const nobody = { id: 0 as UserId, ...cipher.seal(0 as UserId, 'nobody has this password') };

  /**
   * A failure always tries as many passwords as an account can have, so that the time reveals neither which names exist
   * nor how many passwords they have.
   */
  function byPassword(username: string, proves: (password: string) => boolean): Row | undefined {
    const rows = byName.all(usernameKey(username));
    const isRight = (has: Pick<Row, 'id' | 'sealed' | 'salt'>): boolean => {
      const password = cipher.open(has.id, has);
      return password !== undefined && proves(password);
    };
    const found = rows.find(isRight);
    if (found) return found;
    for (let tried = rows.length; tried < MOST_APP_PASSWORDS; tried += 1) isRight(nobody);
    return undefined;
  }

  /**
   * Undefined when the credential is wrong. Throws `too_many_requests` after too many failures from the address or for
   * the name.
   */
  return async (credential: AppCredential, caller: Caller): Promise<Principal | undefined> => {
    const row =
      'apiKey' in credential
        ? byLookup.get(cipher.lookup(credential.apiKey))
        : byPassword(credential.username, credential.proves);
    if (row) {
      tryTouch(row, { id: row.passwordId, lastUsedAt: row.lastUsedAt }, caller);
      return { ...toPrincipal(row, caller), appPasswordId: row.passwordId };
    }
    await limits.attempt(caller, 'apiKey' in credential ? undefined : usernameKey(credential.username));
    return undefined;
  };
}
