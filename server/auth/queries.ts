// Statements that read and write rows of `users`.
import { and, asc, count, eq } from 'drizzle-orm';
import { type Db, type MainDb, writtenRow } from '../db/client.ts';
import type { SessionId, UserId } from '../db/ids.ts';
import { RIGHT_LIST, RIGHTS, type AccountLimits, type Right, type Rights } from '../db/rights.ts';
import type { RowAs } from '../db/rows.ts';
import { users, type sessions } from '../db/schema.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { IsStillAllowed } from '../http/open-answers.ts';

/** The origin of a request. */
export interface Caller {
  /** IP address. */
  from: string | undefined;
  /** The name that the client sends for itself. */
  client: string | undefined;
  /** Whether the request comes from a program on the machine itself, see own-machine.ts. */
  isFromOwnMachine: boolean;
}
/** Longest stored client name, in characters. */
export const MAX_CLIENT_CHARACTERS = 300;

export type UserRow = typeof users.$inferSelect;
type NewUser = Pick<UserRow, 'username' | 'usernameKey' | 'passwordHash' | 'isSuperuser' | 'createdAt'> &
  Partial<Rights & AccountLimits & Pick<UserRow, 'email' | 'hasWeakPassword'>>;

export const findUser = (db: Db, id: UserId): UserRow | undefined =>
  db.select().from(users).where(eq(users.id, id)).get();

export const findUserByKey = (db: Db, key: string): UserRow | undefined =>
  db.select().from(users).where(eq(users.usernameKey, key)).get();

export function listUsers(db: Db, page: Page): Paged<UserRow> {
  const items = db.select().from(users).orderBy(asc(users.usernameKey)).limit(page.limit).offset(page.offset).all();
  return { items, total: db.select({ n: count() }).from(users).get()?.n ?? 0 };
}

export const listNames = (db: Db): Pick<UserRow, 'id' | 'username' | 'usernameKey'>[] =>
  db.select({ id: users.id, username: users.username, usernameKey: users.usernameKey }).from(users).all();

/** Returns the accounts that let others see what they play. */
export const listUsersWithPublicPlays = (db: Db): Pick<UserRow, 'id' | 'username'>[] =>
  db.select({ id: users.id, username: users.username }).from(users).where(eq(users.hidesPlaying, false)).all();

export const countSuperusers = (db: Db): number =>
  db.select({ n: count() }).from(users).where(eq(users.isSuperuser, true)).get()?.n ?? 0;

/** Returns the oldest superuser: the person who set the server up, unless that account was deleted or demoted. */
export const findOwner = (db: Db): UserRow | undefined =>
  db.select().from(users).where(eq(users.isSuperuser, true)).orderBy(asc(users.id)).get();

export const insertUser = (db: Db, user: NewUser): UserRow => writtenRow(db.insert(users).values(user).returning());

export const updateUser = (db: Db, id: UserId, values: Partial<Omit<UserRow, 'id'>>): UserRow | undefined =>
  writtenRow(db.update(users).set(values).where(eq(users.id, id)).returning());

/** Returns undefined if the password was changed since the row was read: hashing takes a while. */
export const findUserWithSamePassword = (
  db: Db,
  { id, tokenVersion }: Pick<UserRow, 'id' | 'tokenVersion'>,
): UserRow | undefined =>
  db
    .select()
    .from(users)
    .where(and(eq(users.id, id), eq(users.tokenVersion, tokenVersion)))
    .get();

export const deleteUser = (db: Db, id: UserId): boolean => db.delete(users).where(eq(users.id, id)).run().changes > 0;

export type PrincipalRow = RowAs<
  typeof users,
  'id' | 'username' | 'isSuperuser' | 'maxBitrateKbps' | 'tokenVersion' | 'lastSeenAt' | 'hasWeakPassword' | Right
>;
export const PRINCIPAL_COLUMNS = [
  'users.id, username, is_superuser AS isSuperuser, max_bitrate_kbps AS maxBitrateKbps',
  'token_version AS tokenVersion, last_seen_at AS lastSeenAt, has_weak_password AS hasWeakPassword',
  ...RIGHT_LIST.map((right) => `${RIGHTS[right].name} AS ${right}`),
].join(', ');

/** The account and the session of a request. */
type SessionPrincipal = PrincipalRow & { sessionId: SessionId } & RowAs<typeof sessions, 'lastUsedAt'>;

// The next two statements run with every request. As prepared text they take some microseconds each.

export function prepareFindPrincipal(db: MainDb) {
  const findSession = db.$client.prepare<[SessionId, UserId, number], SessionPrincipal>(
    `SELECT ${PRINCIPAL_COLUMNS}, s.id AS sessionId, s.last_used_at AS lastUsedAt
    FROM sessions s JOIN users ON users.id = s.user_id WHERE s.id = ? AND s.user_id = +? AND s.expires_at > ?`,
  );
  return (sessionId: SessionId, userId: UserId, now: Date): SessionPrincipal | undefined =>
    findSession.get(sessionId, userId, now.getTime());
}

/** Returns a check that the caller's sign-in is still valid, in the role and with the right that the request needed. */
export function prepareIsStillAllowed(db: MainDb, now: () => Date): IsStillAllowed {
  type HolderRow = RowAs<typeof users, 'isSuperuser' | Right>;
  const columns = RIGHT_LIST.map((right) => `${RIGHTS[right].name} AS ${right}`);
  const select = `SELECT is_superuser AS isSuperuser, ${columns.join()} FROM users JOIN`;
  const bySession = db.$client.prepare<[number, UserId, number], HolderRow>(
    `${select} sessions s ON s.user_id = users.id WHERE s.id = ? AND users.id = ? AND s.expires_at > ?`,
  );
  const byAppPassword = db.$client.prepare<[number, UserId], HolderRow>(
    `${select} app_passwords a ON a.user_id = users.id WHERE a.id = ? AND users.id = ?`,
  );
  return ({ id, sessionId, appPasswordId, isSuperuser }, right) => {
    const row =
      sessionId === undefined
        ? byAppPassword.get(appPasswordId ?? 0, id)
        : bySession.get(sessionId, id, now().getTime());
    if (row === undefined || (row.isSuperuser === 1) !== isSuperuser) return false;
    return right === undefined || isSuperuser || row[right] === 1;
  };
}

export function prepareTouch(db: MainDb) {
  const touch = db.$client.prepare<[number, UserId]>('UPDATE users SET last_seen_at = ? WHERE id = ?');
  return (id: UserId, seenAt: Date): void => void touch.run(seenAt.getTime(), id);
}

/** Stores when and from where a session or app password was used. */
export function prepareNoteUse(db: MainDb, table: 'sessions' | 'app_passwords') {
  const setUsage = db.$client.prepare<[number, string | null, string | null, number]>(
    `UPDATE ${table} SET last_used_at = ?, address = ?, client = ? WHERE id = ?`,
  );
  return (id: number, usedAt: Date, { from, client }: Pick<Caller, 'from' | 'client'>): void =>
    void setUsage.run(usedAt.getTime(), from ?? null, client?.slice(0, MAX_CLIENT_CHARACTERS) ?? null, id);
}
