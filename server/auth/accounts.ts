// Accounts. Names are unique regardless of case, a new password revokes older tokens, and the last superuser can be
// neither deleted nor demoted.
import type { z } from 'zod';
import type { Db, MainDb } from '../db/client.ts';
import type { UserId } from '../db/ids.ts';
import { RIGHT_LIST, RIGHTS, USUAL_RIGHTS, type AccountTerms, type Rights } from '../db/rights.ts';
import { AppError, conflict, invalid, notFound } from '../errors.ts';
import type { Page, Paged } from '../http/paging.ts';
import { toFields } from '../http/problem.ts';
import { createNamedAppPasswords } from './named-app-passwords.ts';
import { hashPassword } from './passwords.ts';
import {
  countSuperusers,
  deleteUser,
  findUser,
  findUserByKey,
  insertUser,
  listNames,
  listOpen,
  listUsers,
  updateUser,
  type UserRow,
} from './queries.ts';
import type { Sessions } from './sessions.ts';
import { usernameKey } from './username.ts';
import type { JudgePassword, WeakPasswordRule } from './weak-passwords.ts';
import { Credentials } from './wire.ts';

/** Only Subsonic clients set an email address and show it. */
interface Reachable {
  email?: string | null | undefined;
}
interface NewAccount extends AccountTerms, Reachable {
  username: string;
  password: string;
}
interface AccountChange extends AccountTerms, Reachable {
  username?: string | undefined;
  password?: string | undefined;
  /** With a new password; default true, as whoever knows the old one may have made some. */
  revokesAppPasswords?: boolean | undefined;
}

interface AccountsDeps {
  db: MainDb;
  now: () => Date;
  /** COMPAT_SECRET_KEY. */
  secretKey: string;
  judgePassword: JudgePassword;
  sessions: Pick<Sessions, 'endAll'>;
  /** Called after something that the account signed in with is gone, or its role has changed. */
  endOrphans: (id: UserId) => void;
}

export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts({ db, now, secretKey, judgePassword, sessions, endOrphans }: AccountsDeps) {
  const appPasswords = createNamedAppPasswords({ db, now, secretKey, getUser, endOrphans });
  const insert = (
    tx: Db,
    username: string,
    { passwordHash, hasWeakPassword }: Pick<UserRow, 'passwordHash' | 'hasWeakPassword'>,
    { isSuperuser, email, ...terms }: AccountTerms & Reachable,
  ): UserRow => {
    const key = usernameKey(username);
    assertWhole(isSuperuser === true, terms);
    return insertUser(tx, {
      ...USUAL_RIGHTS,
      ...terms,
      email: email ?? null,
      username,
      usernameKey: key,
      passwordHash,
      hasWeakPassword,
      isSuperuser: isSuperuser === true,
      createdAt: now(),
    });
  };

  /** The columns of a new password. */
  const hashed = async (password: string, username: string, rule: WeakPasswordRule) => {
    const { hasWeakPassword } = await judgePassword(password, username, rule);
    return { passwordHash: await hashPassword(password), hasWeakPassword };
  };

  /** A new password ends the user's sessions. Throws `not_found`, `invalid`, and `conflict` for a name in use. */
  const update = async (
    id: UserId,
    { isSuperuser, username, password, revokesAppPasswords = true, email, ...terms }: AccountChange,
    rule: WeakPasswordRule = 'refuse',
  ): Promise<UserRow> => {
    const change = checked(Credentials.partial(), { username, password });
    const fresh =
      change.password === undefined
        ? undefined
        : await hashed(change.password, change.username ?? getUser(db, id).username, rule);
    const assertFree = await nameCheck();
    const changed = db.transaction(
      (tx) => {
        const user = getUser(tx, id);
        if (isSuperuser === false && user.isSuperuser) assertNotLast(countSuperusers(tx), 'demoted');
        assertWhole(isSuperuser ?? user.isSuperuser, terms);
        const key = change.username === undefined ? user.usernameKey : usernameKey(change.username);
        if (key !== user.usernameKey) assertFree(tx, change.username ?? user.username, id);
        if (fresh) sessions.endAll(tx, id);
        if (fresh && revokesAppPasswords) appPasswords.revokeAll(tx, id);
        return (
          updateUser(tx, id, {
            ...terms,
            ...(email !== undefined && { email }),
            username: change.username ?? user.username,
            usernameKey: key,
            isSuperuser: isSuperuser ?? user.isSuperuser,
            ...(fresh && { ...fresh, tokenVersion: user.tokenVersion + 1 }),
          }) ?? user
        );
      },
      { behavior: 'immediate' },
    );
    endOrphans(id);
    return changed;
  };

  /** Throws `invalid` for a name that is not allowed, `conflict` for one in use, then `invalid` for the password. */
  const assertNew = async (given: {
    username?: unknown;
    password?: unknown;
  }): Promise<z.output<typeof Credentials>> => {
    const account = Credentials.safeParse({ username: given.username, password: given.password });
    const username = Credentials.shape.username.safeParse(given.username);
    if (!account.success && !username.success) throw invalid(toFields(account.error));
    (await nameCheck())(db, username.data ?? '');
    if (!account.success) throw invalid(toFields(account.error));
    return account.data;
  };

  return {
    get: (id: UserId): UserRow => getUser(db, id),
    list: (page: Page): Paged<UserRow> => listUsers(db, page),
    listAll: (): UserRow[] => listUsers(db, { limit: -1, offset: 0 }).items,
    /** Names of those who let others see what they play. */
    listOpen: (): { id: UserId; username: string }[] => listOpen(db),
    findByName: (username: string): UserRow | undefined => findUserByKey(db, usernameKey(username)),
    hasSuperuser: (): boolean => countSuperusers(db) > 0,

    /** What `create` refuses, in its order, without the work of it. */
    async assertNew(given: { username?: unknown; password?: unknown }, rule: WeakPasswordRule) {
      const account = await assertNew(given);
      await judgePassword(account.password, account.username, rule);
      return account;
    },

    async create({ username, password, ...terms }: NewAccount, rule: WeakPasswordRule = 'refuse'): Promise<UserRow> {
      const account = await assertNew({ username, password });
      const fresh = await hashed(account.password, account.username, rule);
      const assertFree = await nameCheck();
      return db.transaction(
        (tx) => {
          assertFree(tx, account.username);
          return insert(tx, account.username, fresh, terms);
        },
        { behavior: 'immediate' },
      );
    },

    /** The first superuser. Of several attempts at once one succeeds; the others throw `conflict`. */
    async createFirst(
      given: Pick<NewAccount, 'username' | 'password'>,
      rule: WeakPasswordRule = 'refuse',
    ): Promise<UserRow> {
      const account = checked(Credentials, given);
      const fresh = await hashed(account.password, account.username, rule);
      const assertFree = await nameCheck();
      return db.transaction(
        (tx) => {
          if (countSuperusers(tx) > 0) throw conflict('This server is already set up. Sign in instead.');
          assertFree(tx, account.username);
          return insert(tx, account.username, fresh, { isSuperuser: true });
        },
        { behavior: 'immediate' },
      );
    },

    update,
    /** Whether others see what this person plays. */
    setHidesPlaying: (id: UserId, hidesPlaying: boolean): UserRow =>
      updateUser(db, id, { hidesPlaying }) ?? getUser(db, id),
    hashed,

    /** Also deletes the user's playlists, likes and history. Throws `conflict` for the last superuser. */
    delete(id: UserId): void {
      db.transaction(
        (tx) => {
          if (getUser(tx, id).isSuperuser) assertNotLast(countSuperusers(tx), 'deleted');
          deleteUser(tx, id);
        },
        { behavior: 'immediate' },
      );
      endOrphans(id);
    },

    appPasswords,
  };
}

/** The command line and the environment create accounts too, so the API's checks are not enough. */
function checked<T extends z.ZodType>(
  shape: T,
  given: { username?: string | undefined; password?: string | undefined },
): z.output<T> {
  const parsed = shape.safeParse({ username: given.username, password: given.password });
  if (!parsed.success) throw invalid(toFields(parsed.error));
  return parsed.data;
}

function getUser(db: Db, id: UserId): UserRow {
  const user = findUser(db, id);
  if (!user) throw notFound('user', id);
  return user;
}

/** Taking a right from an administrator would change nothing. */
function assertWhole(isSuperuser: boolean, terms: Partial<Rights>): void {
  const taken = RIGHT_LIST.find((right) => terms[right] === false);
  if (isSuperuser && taken !== undefined)
    throw new AppError('conflict', 'An administrator has every right. Make it an ordinary account first.', {
      fields: [{ field: RIGHTS[taken].name, message: 'cannot be taken from an administrator' }],
    });
}

/**
 * Throws `conflict` for a name that is in use, and for one that looks like it; `self` is the account that gets it. The
 * table of signs that look alike is loaded on first use: it is 10 ms of work.
 */
async function nameCheck() {
  const { lookOf } = await import('./look-alike.ts');
  return (db: Db, username: string, self?: UserId): void => {
    const look = lookOf(username);
    const other = listNames(db).find((one) => one.id !== self && lookOf(one.username) === look);
    if (other?.usernameKey === usernameKey(username)) throw taken(username);
    if (other)
      throw new AppError('conflict', `The user name ${username} looks like one that is taken.`, {
        fields: [{ field: 'username', message: 'looks like one that is taken' }],
      });
  };
}

const taken = (username: string): AppError =>
  new AppError('conflict', `The user name ${username} is already in use.`, {
    fields: [{ field: 'username', message: 'is already in use' }],
  });

function assertNotLast(superusers: number, done: string): void {
  if (superusers <= 1) throw conflict(`The last administrator cannot be ${done}. Promote another account first.`);
}
