// The app passwords of an account, by name. The password called `default` can be shown again; the others are shown
// once.
import { and, asc, eq, getTableColumns } from 'drizzle-orm';
import { type Db, type MainDb, writtenRow } from '../db/client.ts';
import type { AppPasswordId, UserId } from '../db/ids.ts';
import { appPasswords } from '../db/schema.ts';
import { AppError, conflict, notFound } from '../errors.ts';
import { createAppPasswordCipher, makeAppPassword } from './app-passwords.ts';
import type { UserRow } from './queries.ts';

const DEFAULT_NAME = 'default';
/** Maximum number per account. It includes `default`, for which room is always kept. */
export const MAX_APP_PASSWORDS = 20;

interface AppPassword {
  username: string;
  password: string;
}
export type AppPasswordRow = Omit<typeof appPasswords.$inferSelect, 'sealed' | 'salt' | 'lookup'>;

interface NamedAppPasswordsDeps {
  db: MainDb;
  now: () => Date;
  /** The value of COMPAT_SECRET_KEY. */
  secretKey: string;
  /** Returns an account. Throws `not_found`. */
  getUser: (db: Db, id: UserId) => UserRow;
  /** Called after an app password of the account was removed. */
  endOrphans: (id: UserId) => void;
}

export function createNamedAppPasswords({ db, now, secretKey, getUser, endOrphans }: NamedAppPasswordsDeps) {
  const cipher = createAppPasswordCipher(secretKey);
  const withName = (userId: UserId, name: string) => and(eq(appPasswords.userId, userId), eq(appPasswords.name, name));
  const { sealed: _sealed, salt: _salt, lookup: _lookup, ...publicColumns } = getTableColumns(appPasswords);

  const insert = (tx: Db, user: UserRow, name: string): AppPassword & { row: AppPasswordRow } => {
    const password = makeAppPassword();
    const row = writtenRow(
      tx
        .insert(appPasswords)
        .values({ userId: user.id, name, createdAt: now(), ...cipher.seal(user.id, password) })
        .returning(publicColumns),
    );
    return { username: user.username, password, row };
  };

  /** Replaces the password `default`; the new one counts as unused. */
  const rotate = (tx: Db, user: UserRow): AppPassword => {
    tx.delete(appPasswords).where(withName(user.id, DEFAULT_NAME)).run();
    const { username, password } = insert(tx, user, DEFAULT_NAME);
    return { username, password };
  };

  return {
    /** Returns the app passwords, sorted by name. */
    list: (userId: UserId): AppPasswordRow[] =>
      db
        .select(publicColumns)
        .from(appPasswords)
        .where(eq(appPasswords.userId, userId))
        .orderBy(asc(appPasswords.name), asc(appPasswords.id))
        .all(),

    /** Creates an app password. Throws `conflict` for a name in use, and when the account has the maximum number. */
    create(userId: UserId, name: string): AppPassword & { row: AppPasswordRow } {
      return db.transaction(
        (tx) => {
          const user = getUser(tx, userId);
          const names = tx
            .select({ name: appPasswords.name })
            .from(appPasswords)
            .where(eq(appPasswords.userId, userId));
          const otherNames = new Set(names.all().map((row) => row.name));
          if (otherNames.has(name) || name === DEFAULT_NAME) throw nameTaken(name);
          otherNames.delete(DEFAULT_NAME);
          if (otherNames.size >= MAX_APP_PASSWORDS - 1) throw tooManyPasswords();
          return insert(tx, user, name);
        },
        { behavior: 'immediate' },
      );
    },

    /** Revokes an app password. Throws `not_found`, also for another account's password. */
    revoke(userId: UserId, id: AppPasswordId): void {
      const ownPassword = and(eq(appPasswords.userId, userId), eq(appPasswords.id, id));
      if (db.delete(appPasswords).where(ownPassword).run().changes === 0) throw notFound('app password', id);
      endOrphans(userId);
    },

    /** Revokes all app passwords of the account. The caller ends their connections after its transaction. */
    revokeAll: (tx: Db, userId: UserId): void =>
      void tx.delete(appPasswords).where(eq(appPasswords.userId, userId)).run(),

    /** Returns the password `default`, which is created if it does not exist. */
    reveal(userId: UserId): AppPassword {
      return db.transaction(
        (tx) => {
          const user = getUser(tx, userId);
          const row = tx.select().from(appPasswords).where(withName(userId, DEFAULT_NAME)).get();
          if (!row) return rotate(tx, user);
          const password = cipher.open(userId, { sealed: Buffer.from(row.sealed), salt: Buffer.from(row.salt) });
          if (password === undefined)
            throw conflict(
              'This app password was encrypted with another COMPAT_SECRET_KEY and cannot be shown. Create a new one.',
            );
          return { username: user.username, password };
        },
        { behavior: 'immediate' },
      );
    },

    rotate(userId: UserId): AppPassword {
      const newPassword = db.transaction((tx) => rotate(tx, getUser(tx, userId)), { behavior: 'immediate' });
      endOrphans(userId);
      return newPassword;
    },
  };
}

function nameTaken(name: string): AppError {
  return new AppError('conflict', `You already have an app password named ${name}.`, {
    fields: [{ field: 'name', message: 'is already in use' }],
  });
}

const tooManyPasswords = (): AppError =>
  conflict(`An account can have ${MAX_APP_PASSWORDS} app passwords. Revoke one that you no longer use.`);
