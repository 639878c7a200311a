// Sessions. A session is a sign-in with all tokens derived from it. A token is invalid without its session, so ending a
// session ends all of its tokens, including those for URLs.
import { and, asc, desc, eq, gt, lte, ne } from 'drizzle-orm';
import { type Db, type MainDb, writtenRow } from '../db/client.ts';
import type { SessionId, UserId } from '../db/ids.ts';
import { sessions } from '../db/schema.ts';
import { notFound } from '../errors.ts';
import { addressKey } from '../http/addresses.ts';
import { MAX_CLIENT_CHARACTERS, type Caller } from './queries.ts';

/** Maximum number per account. A sign-in beyond it ends the session that was unused for longest. */
const MAX_SESSIONS = 100;

export type SessionRow = typeof sessions.$inferSelect;

export type Sessions = ReturnType<typeof createSessions>;

interface SessionsDeps {
  db: MainDb;
  now: () => Date;
  nowForAges: () => Date;
  /** Called after a session of the account has ended. */
  endOrphans: (id: UserId) => void;
}

export function createSessions({ db, now, nowForAges, endOrphans }: SessionsDeps) {
  const sessionOf = (userId: UserId, id: SessionId) => and(eq(sessions.userId, userId), eq(sessions.id, id));

  /** Deletes expired sessions of the account, and the oldest sessions over the limit. */
  function deleteOldSessions(tx: Db, userId: UserId): void {
    tx.delete(sessions)
      .where(and(eq(sessions.userId, userId), lte(sessions.expiresAt, nowForAges())))
      .run();
    const openSessions = tx
      .select({ id: sessions.id })
      .from(sessions)
      .where(eq(sessions.userId, userId))
      .orderBy(asc(sessions.lastUsedAt), asc(sessions.id))
      .all();
    for (const { id } of openSessions.slice(0, Math.max(0, openSessions.length - MAX_SESSIONS + 1)))
      tx.delete(sessions).where(eq(sessions.id, id)).run();
  }

  return {
    start(userId: UserId, ttlSeconds: number, { from, client }: Pick<Caller, 'from' | 'client'>): SessionId {
      const time = now();
      const row = {
        userId,
        createdAt: time,
        lastUsedAt: time,
        expiresAt: new Date(time.getTime() + ttlSeconds * 1_000),
        address: from ?? null,
        client: client?.slice(0, MAX_CLIENT_CHARACTERS) ?? null,
      };
      const id = db.transaction(
        (tx) => {
          deleteOldSessions(tx, userId);
          return writtenRow(tx.insert(sessions).values(row).returning({ id: sessions.id })).id;
        },
        { behavior: 'immediate' },
      );
      endOrphans(userId);
      return id;
    },

    extend(tx: Db, id: SessionId, ttlSeconds: number): void {
      const expiresAt = new Date(now().getTime() + ttlSeconds * 1_000);
      tx.update(sessions).set({ expiresAt }).where(eq(sessions.id, id)).run();
    },

    /** Lists sessions, most recently used first. */
    list: (userId: UserId): SessionRow[] =>
      db
        .select()
        .from(sessions)
        .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now())))
        .orderBy(desc(sessions.lastUsedAt), desc(sessions.id))
        .all(),

    /** Returns whether the account has a session at this address. */
    isFamiliar(userId: UserId, address: string | undefined): boolean {
      const key = addressKey(address);
      const rows = db
        .select({ address: sessions.address })
        .from(sessions)
        .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now())));
      return rows.all().some((session) => session.address !== null && addressKey(session.address) === key);
    },

    /** Ends a session. Throws `not_found`, also for another account's session. */
    end(userId: UserId, id: SessionId): void {
      if (db.delete(sessions).where(sessionOf(userId, id)).run().changes === 0) throw notFound('session', id);
      endOrphans(userId);
    },

    /** Ends all sessions of the account but `exceptId`. The caller ends their connections after its transaction. */
    endAll(tx: Db, userId: UserId, exceptId?: SessionId): void {
      tx.delete(sessions)
        .where(and(eq(sessions.userId, userId), exceptId === undefined ? undefined : ne(sessions.id, exceptId)))
        .run();
    },
  };
}
