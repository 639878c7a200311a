// Rows of `users`. Rules are in sign-in.ts.
import { and, asc, count, eq } from 'drizzle-orm';
import type { Db, MainDb } from '../db/client.ts';
import type { UserId } from '../db/ids.ts';
import type { RowOf } from '../db/rows.ts';
import { users } from '../db/schema.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { SealedPassword } from './app-passwords.ts';

export type UserRow = typeof users.$inferSelect;
export type NewUser = Pick<UserRow, 'username' | 'usernameKey' | 'passwordHash' | 'isSuperuser' | 'createdAt'>;

export const findUser = (db: Db, id: UserId): UserRow | undefined =>
  db.select().from(users).where(eq(users.id, id)).get();

export const findUserByKey = (db: Db, key: string): UserRow | undefined =>
  db.select().from(users).where(eq(users.usernameKey, key)).get();

export function listUsers(db: Db, page: Page): Paged<UserRow> {
  const items = db.select().from(users).orderBy(asc(users.usernameKey)).limit(page.limit).offset(page.offset).all();
  return { items, total: db.select({ n: count() }).from(users).get()?.n ?? 0 };
}

export const countSuperusers = (db: Db): number =>
  db.select({ n: count() }).from(users).where(eq(users.isSuperuser, true)).get()?.n ?? 0;

/** The one who set the server up, or who is left of the superusers. */
export const findOwner = (db: Db): UserRow | undefined =>
  db.select().from(users).where(eq(users.isSuperuser, true)).orderBy(asc(users.id)).get();

export const insertUser = (db: Db, user: NewUser): UserRow => db.insert(users).values(user).returning().get();

export const updateUser = (db: Db, id: UserId, values: Partial<Omit<UserRow, 'id'>>): UserRow | undefined =>
  db.update(users).set(values).where(eq(users.id, id)).returning().get();

/** The row only if its password is still the one that was looked at before the slow hash. */
export const findUnchanged = (
  db: Db,
  { id, tokenVersion }: Pick<UserRow, 'id' | 'tokenVersion'>,
): UserRow | undefined =>
  db
    .select()
    .from(users)
    .where(and(eq(users.id, id), eq(users.tokenVersion, tokenVersion)))
    .get();

export const deleteUser = (db: Db, id: UserId): boolean => db.delete(users).where(eq(users.id, id)).run().changes > 0;

export const setAppPassword = (db: Db, id: UserId, { sealed, salt, lookup }: SealedPassword): boolean =>
  db
    .update(users)
    .set({ appPassword: sealed, appPasswordSalt: salt, appPasswordLookup: lookup })
    .where(eq(users.id, id))
    .run().changes > 0;

export type SeenUser = RowOf<typeof users, 'id' | 'username' | 'isSuperuser' | 'tokenVersion' | 'lastSeenAt'>;

/** Every request asks these two, so they are prepared once on the bare connection: some microseconds each. */
export function prepareSeen(db: MainDb) {
  const find = db.$client.prepare<[UserId], SeenUser>(
    'SELECT id, username, is_superuser, token_version, last_seen_at FROM users WHERE id = ?',
  );
  const touch = db.$client.prepare<[number, UserId]>('UPDATE users SET last_seen_at = ? WHERE id = ?');
  return {
    find: (id: UserId): SeenUser | undefined => find.get(id),
    touch: (id: UserId, at: Date): void => void touch.run(at.getTime(), id),
  };
}
