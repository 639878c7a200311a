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
import { MAX_APP_PASSWORDS } from './named-app-passwords.ts';
import type { Limits } from './sign-in-limits.ts';
import { PRINCIPAL_COLUMNS, type Caller, type PrincipalRow } from './queries.ts';
import { logFailedSignIn } from './failed-sign-ins.ts';
import { usernameKey } from './username.ts';

/** `proves` returns whether the client's proof was made from the given password. */
export type AppCredential = { apiKey: string } | { username: string; proves: (password: string) => boolean };

type AppPasswordRow = PrincipalRow & { passwordId: AppPasswordId } & RowAs<
    typeof appPasswords,
    'sealed' | 'salt' | 'lastUsedAt'
  >;

interface AppSignInDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  /** The value of COMPAT_SECRET_KEY. */
  secretKey: string;
  limits: Limits;
}

const SELECT_APP_PASSWORD = `SELECT ${PRINCIPAL_COLUMNS}, a.id AS passwordId, sealed, salt, last_used_at AS lastUsedAt
  FROM app_passwords a JOIN users ON users.id = a.user_id`;

export type AppSignIn = ReturnType<typeof createAppSignIn>;

export function createAppSignIn({ db, log, now, secretKey, limits }: AppSignInDeps) {
  const cipher = createAppPasswordCipher(secretKey);
  // The most recently used password comes first, because it usually matches.
  const findByName = db.$client.prepare<[string], AppPasswordRow>(
    `${SELECT_APP_PASSWORD} WHERE username_key = +? ORDER BY last_used_at DESC`,
  );
  const findByLookup = db.$client.prepare<[string], AppPasswordRow>(`${SELECT_APP_PASSWORD} WHERE lookup = ?`);
  const idOfName = db.$client.prepare<[string], UserId>('SELECT id FROM users WHERE username_key = ?').pluck();
  const tryTouch = createTryTouch({ db, log, now, table: 'app_passwords' });
  const decoy = { id: 0 as UserId, ...cipher.seal(0 as UserId, 'nobody has this password') };

  /**
   * Finds the account's password that matches. A failure always tries as many passwords as an account can have, so that
   * the time reveals neither which names exist nor how many passwords they have.
   */
  function findByPassword(username: string, proves: (password: string) => boolean): AppPasswordRow | undefined {
    const rows = findByName.all(usernameKey(username));
    const matches = (row: Pick<AppPasswordRow, 'id' | 'sealed' | 'salt'>): boolean => {
      const password = cipher.open(row.id, row);
      return password !== undefined && proves(password);
    };
    const matchingRow = rows.find(matches);
    if (matchingRow) return matchingRow;
    for (let attempts = rows.length; attempts < MAX_APP_PASSWORDS; attempts += 1) matches(decoy);
    return undefined;
  }

  /**
   * Returns undefined when the credential is wrong. Throws `too_many_requests` after too many failures from the address
   * or for the name.
   */
  return async (credential: AppCredential, caller: Caller): Promise<Principal | undefined> => {
    const row =
      'apiKey' in credential
        ? findByLookup.get(cipher.lookup(credential.apiKey))
        : findByPassword(credential.username, credential.proves);
    if (row) {
      tryTouch(row, { id: row.passwordId, lastUsedAt: row.lastUsedAt }, caller);
      return { ...toPrincipal(row, caller), appPasswordId: row.passwordId };
    }
    await limits.attempt(caller, 'apiKey' in credential ? undefined : usernameKey(credential.username));
    logFailedSignIn(log, caller, 'apiKey' in credential ? undefined : idOfName.get(usernameKey(credential.username)));
    return undefined;
  };
}
