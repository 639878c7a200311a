// Sessions: a sign-in, and the tokens that follow from it. A token without its session is worth nothing, so ending a
// session ends all of them at once, those for URLs too.
import { and, asc, desc, eq, gt, lte, ne } from 'drizzle-orm';
import { type Db, type MainDb, writtenRow } from '../db/client.ts';
import type { SessionId, UserId } from '../db/ids.ts';
import { sessions } from '../db/schema.ts';
import { notFound } from '../errors.ts';
import { addressKey } from '../http/addresses.ts';
import { MOST_CLIENT, type Caller } from './queries.ts';

/** Of an account; with one more, the one that was not used for longest ends. */
const MOST_SESSIONS = 100;

export type SessionRow = typeof sessions.$inferSelect;

export type Sessions = ReturnType<typeof createSessions>;

interface SessionsDeps {
  db: MainDb;
  now: () => Date;
  nowForAges: () => Date;
  /** Called after something that the account signed in with is gone. */
  endOrphans: (id: UserId) => void;
}

export function createSessions({ db, now, nowForAges, endOrphans }: SessionsDeps) {
  const of = (userId: UserId, id: SessionId) => and(eq(sessions.userId, userId), eq(sessions.id, id));

  /** Of the account, all but the newest ones, and those whose tokens have expired. */
  function sweep(tx: Db, userId: UserId): void {
    tx.delete(sessions)
      .where(and(eq(sessions.userId, userId), lte(sessions.expiresAt, nowForAges())))
      .run();
    const open = tx
      .select({ id: sessions.id })
      .from(sessions)
      .where(eq(sessions.userId, userId))
      .orderBy(asc(sessions.lastUsedAt), asc(sessions.id))
      .all();
    for (const { id } of open.slice(0, Math.max(0, open.length - MOST_SESSIONS + 1)))
      tx.delete(sessions).where(eq(sessions.id, id)).run();
  }

  return {
    start(userId: UserId, ttlSeconds: number, { from, client }: Pick<Caller, 'from' | 'client'>): SessionId {
      const at = now();
      const row = {
        userId,
        createdAt: at,
        lastUsedAt: at,
        expiresAt: new Date(at.getTime() + ttlSeconds * 1_000),
        address: from ?? null,
        client: client?.slice(0, MOST_CLIENT) ?? null,
      };
      const id = db.transaction(
        (tx) => {
          sweep(tx, userId);
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

    /** The latest used first. */
    list: (userId: UserId): SessionRow[] =>
      db
        .select()
        .from(sessions)
        .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now())))
        .orderBy(desc(sessions.lastUsedAt), desc(sessions.id))
        .all(),

    /** Whether somebody is signed in there with this account. */
    isFamiliar(userId: UserId, address: string | undefined): boolean {
      const key = addressKey(address);
      const rows = db
        .select({ address: sessions.address })
        .from(sessions)
        .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now())));
      return rows.all().some((session) => session.address !== null && addressKey(session.address) === key);
    },

    /** Throws `not_found`, also for another account's. */
    end(userId: UserId, id: SessionId): void {
      if (db.delete(sessions).where(of(userId, id)).run().changes === 0) throw notFound('session', id);
      endOrphans(userId);
    },

    /** All of the account; `but` stays. The caller ends what they hold open, after its transaction. */
    endAll(tx: Db, userId: UserId, but?: SessionId): void {
      tx.delete(sessions)
        .where(and(eq(sessions.userId, userId), but === undefined ? undefined : ne(sessions.id, but)))
        .run();
    },
  };
}
