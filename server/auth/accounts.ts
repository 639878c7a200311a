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
  listUsersWithPublicPlays,
  listUsers,
  updateUser,
  type UserRow,
} from './queries.ts';
import type { Sessions } from './sessions.ts';
import { usernameKey } from './username.ts';
import type { JudgePassword, WeakPasswordRule } from './weak-passwords.ts';
import { Credentials } from './wire.ts';
import { bindContext } from '../runtime/bind-context.ts';

/** The email address of an account; only Subsonic clients set and read it. */
interface EmailTerm {
  email?: string | null | undefined;
}
interface NewAccount extends AccountTerms, EmailTerm {
  username: string;
  password: string;
}
interface AccountChange extends AccountTerms, EmailTerm {
  username?: string | undefined;
  password?: string | undefined;
  /**
   * Whether a new password revokes the app passwords. True by default, because whoever knows the old password may have
   * created app passwords.
   */
  revokesAppPasswords?: boolean | undefined;
}

interface AccountsDeps {
  db: MainDb;
  now: () => Date;
  /** The value of COMPAT_SECRET_KEY. */
  secretKey: string;
  judgePassword: JudgePassword;
  sessions: Pick<Sessions, 'endAll'>;
  /** Called after a session or app password of the account was removed, or its role has changed. */
  endOrphans: (id: UserId) => void;
}

export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts(deps: AccountsDeps) {
  const context = createContext(deps);

  return {
    ...bindContext(context, {
      get,
      list,
      listAll,
      listOpen,
      findByName,
      hasSuperuser,
      create,
      createFirst,
      setHidesPlaying,
      update,
    }),
    /** Makes the checks of `create`, in the same order, without creating the account. */
    async assertNew(input: { username?: unknown; password?: unknown }, rule: WeakPasswordRule) {
      const account = await assertNew(context, input);
      await context.judgePassword(account.password, account.username, rule);
      return account;
    },
    hashed: (password: string, username: string, rule: WeakPasswordRule) =>
      passwordColumns(context, password, username, rule),
    /** Deletes an account with its playlists, likes and history. Throws `conflict` for the last superuser. */
    delete(id: UserId): void {
      context.db.transaction(
        (tx) => {
          if (getUser(tx, id).isSuperuser) assertNotLast(countSuperusers(tx), 'deleted');
          deleteUser(tx, id);
        },
        { behavior: 'immediate' },
      );
      context.endOrphans(id);
    },
    appPasswords: context.appPasswords,
  };
}

type Context = ReturnType<typeof createContext>;

function createContext({ db, now, secretKey, judgePassword, sessions, endOrphans }: AccountsDeps) {
  const appPasswords = createNamedAppPasswords({ db, now, secretKey, getUser, endOrphans });
  return { db, now, judgePassword, sessions, endOrphans, appPasswords };
}

function insert(
  { now }: Context,
  tx: Db,
  username: string,
  { passwordHash, hasWeakPassword }: Pick<UserRow, 'passwordHash' | 'hasWeakPassword'>,
  { isSuperuser, email, ...terms }: AccountTerms & EmailTerm,
): UserRow {
  const nameKey = usernameKey(username);
  assertKeepsAllRights(isSuperuser === true, terms);
  return insertUser(tx, {
    ...USUAL_RIGHTS,
    ...terms,
    email: email ?? null,
    username,
    usernameKey: nameKey,
    passwordHash,
    hasWeakPassword,
    isSuperuser: isSuperuser === true,
    createdAt: now(),
  });
}

/** Returns the columns of a new password. */
async function passwordColumns({ judgePassword }: Context, password: string, username: string, rule: WeakPasswordRule) {
  const { hasWeakPassword } = await judgePassword(password, username, rule);
  return { passwordHash: await hashPassword(password), hasWeakPassword };
}

/**
 * Changes an account. A new password ends the user's sessions. Throws `not_found`, `invalid`, and `conflict` for a
 * name in use.
 */
async function update(
  context: Context,
  id: UserId,
  { isSuperuser, username, password, revokesAppPasswords = true, email, ...terms }: AccountChange,
  rule: WeakPasswordRule = 'refuse',
): Promise<UserRow> {
  const credentials = parseCredentials(Credentials.partial(), { username, password });
  const newPassword =
    credentials.password === undefined
      ? undefined
      : await passwordColumns(
          context,
          credentials.password,
          credentials.username ?? getUser(context.db, id).username,
          rule,
        );
  const assertNameFree = await createNameCheck();
  const updatedUser = context.db.transaction(
    (tx) => {
      const user = getUser(tx, id);
      if (isSuperuser === false && user.isSuperuser) assertNotLast(countSuperusers(tx), 'demoted');
      assertKeepsAllRights(isSuperuser ?? user.isSuperuser, terms);
      const key = credentials.username === undefined ? user.usernameKey : usernameKey(credentials.username);
      if (key !== user.usernameKey) assertNameFree(tx, credentials.username ?? user.username, id);
      if (newPassword) context.sessions.endAll(tx, id);
      if (newPassword && revokesAppPasswords) context.appPasswords.revokeAll(tx, id);
      return (
        updateUser(tx, id, {
          ...terms,
          ...(email !== undefined && { email }),
          username: credentials.username ?? user.username,
          usernameKey: key,
          isSuperuser: isSuperuser ?? user.isSuperuser,
          ...(newPassword && { ...newPassword, tokenVersion: user.tokenVersion + 1 }),
        }) ?? user
      );
    },
    { behavior: 'immediate' },
  );
  context.endOrphans(id);
  return updatedUser;
}

/** Throws `invalid` for a name that is not allowed, `conflict` for one in use, then `invalid` for the password. */
async function assertNew(
  { db }: Context,
  input: {
    username?: unknown;
    password?: unknown;
  },
): Promise<z.output<typeof Credentials>> {
  const account = Credentials.safeParse({ username: input.username, password: input.password });
  const username = Credentials.shape.username.safeParse(input.username);
  if (!account.success && !username.success) throw invalid(toFields(account.error));
  (await createNameCheck())(db, username.data ?? '');
  if (!account.success) throw invalid(toFields(account.error));
  return account.data;
}

const get = ({ db }: Context, id: UserId): UserRow => getUser(db, id);

const list = ({ db }: Context, page: Page): Paged<UserRow> => listUsers(db, page);

const listAll = ({ db }: Context): UserRow[] => listUsers(db, { limit: -1, offset: 0 }).items;

/** Returns the accounts that let others see what they play. */
const listOpen = ({ db }: Context): { id: UserId; username: string }[] => listUsersWithPublicPlays(db);

const findByName = ({ db }: Context, username: string): UserRow | undefined => findUserByKey(db, usernameKey(username));

const hasSuperuser = ({ db }: Context): boolean => countSuperusers(db) > 0;

async function create(
  context: Context,
  { username, password, ...terms }: NewAccount,
  rule: WeakPasswordRule = 'refuse',
): Promise<UserRow> {
  const account = await assertNew(context, { username, password });
  const newPassword = await passwordColumns(context, account.password, account.username, rule);
  const assertNameFree = await createNameCheck();
  return context.db.transaction(
    (tx) => {
      assertNameFree(tx, account.username);
      return insert(context, tx, account.username, newPassword, terms);
    },
    { behavior: 'immediate' },
  );
}

/** Creates the first superuser. Of several concurrent attempts one succeeds; the others throw `conflict`. */
async function createFirst(
  context: Context,
  input: Pick<NewAccount, 'username' | 'password'>,
  rule: WeakPasswordRule = 'refuse',
): Promise<UserRow> {
  const account = parseCredentials(Credentials, input);
  const newPassword = await passwordColumns(context, account.password, account.username, rule);
  const assertNameFree = await createNameCheck();
  return context.db.transaction(
    (tx) => {
      if (countSuperusers(tx) > 0) throw conflict('This server is already set up. Sign in instead.');
      assertNameFree(tx, account.username);
      return insert(context, tx, account.username, newPassword, { isSuperuser: true });
    },
    { behavior: 'immediate' },
  );
}

/** Sets whether others see what this person plays. */
const setHidesPlaying = ({ db }: Context, id: UserId, hidesPlaying: boolean): UserRow =>
  updateUser(db, id, { hidesPlaying }) ?? getUser(db, id);

/** Validates a name and a password, because the command line and the environment create accounts without the API. */
function parseCredentials<T extends z.ZodType>(
  shape: T,
  input: { username?: string | undefined; password?: string | undefined },
): z.output<T> {
  const parsed = shape.safeParse({ username: input.username, password: input.password });
  if (!parsed.success) throw invalid(toFields(parsed.error));
  return parsed.data;
}

function getUser(db: Db, id: UserId): UserRow {
  const user = findUser(db, id);
  if (!user) throw notFound('user', id);
  return user;
}

/** Throws `conflict` for revoking a right of an administrator, which would change nothing. */
function assertKeepsAllRights(isSuperuser: boolean, terms: Partial<Rights>): void {
  const revokedRight = RIGHT_LIST.find((right) => terms[right] === false);
  if (isSuperuser && revokedRight !== undefined)
    throw new AppError('conflict', 'An administrator has every right. Make it an ordinary account first.', {
      fields: [{ field: RIGHTS[revokedRight].name, message: 'cannot be taken from an administrator' }],
    });
}

/**
 * Returns a check that throws `conflict` for a name in use or a look-alike of one, except the name of the account
 * `self`. The table of look-alikes takes 10 ms to load, so it is loaded on first use.
 */
async function createNameCheck() {
  const { appearanceOf: lookOf } = await import('./look-alike.ts');
  return (db: Db, username: string, self?: UserId): void => {
    const appearance = lookOf(username);
    const similarAccount = listNames(db).find(
      (account) => account.id !== self && lookOf(account.username) === appearance,
    );
    if (similarAccount?.usernameKey === usernameKey(username)) throw nameTaken(username);
    if (similarAccount)
      throw new AppError('conflict', `The username ${username} looks like one that is taken.`, {
        fields: [{ field: 'username', message: 'looks like one that is taken' }],
      });
  };
}

const nameTaken = (username: string): AppError =>
  new AppError('conflict', `The username ${username} is already in use.`, {
    fields: [{ field: 'username', message: 'is already in use' }],
  });

function assertNotLast(superusers: number, action: string): void {
  if (superusers <= 1) throw conflict(`The last administrator cannot be ${action}. Promote another account first.`);
}
