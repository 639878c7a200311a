import { and, desc, eq, gt, inArray, lte, ne, or, sql } from 'drizzle-orm';
import type { Db, MainDb } from '../db/client.ts';
import type { UserId } from '../db/ids.ts';
import { albums, artists, likeEvents, likeStates, tracks, users, type ItemType } from '../db/schema.ts';
import type { Page } from '../http/paging.ts';
import type { ItemState, LikeChange } from './state.ts';

export interface Item {
  itemType: ItemType;
  itemId: number;
}
export type LikeEventRow = typeof likeEvents.$inferSelect;
type LikeStateRow = typeof likeStates.$inferSelect;

const TABLES = { track: tracks, album: albums, artist: artists } as const;

export function itemExists(db: Db, { itemType, itemId }: Item): boolean {
  const table = TABLES[itemType];
  return (
    db
      .select({ id: table.id })
      .from(table)
      .where(eq(table.id, itemId as never))
      .get() !== undefined
  );
}

/** Returns which of the items are in the library. */
export function findExistingIds(db: Db, itemType: ItemType, itemIds: readonly number[]): Set<number> {
  const table = TABLES[itemType];
  const rows = db
    .select({ id: table.id })
    .from(table)
    .where(inArray(table.id, itemIds as never))
    .all();
  return new Set(rows.map(({ id }) => id));
}

export const listStates = (db: Db, userId: UserId, itemType: ItemType, itemIds: number[]): LikeStateRow[] =>
  db
    .select()
    .from(likeStates)
    .where(and(eq(likeStates.userId, userId), eq(likeStates.itemType, itemType), inArray(likeStates.itemId, itemIds)))
    .all();

/**
 * Returns a condition on an item that names all users, so that the primary key, which starts with the user, is used.
 */
const ofEverybody = (db: Db, { itemType, itemId }: Item) =>
  and(
    inArray(likeStates.userId, db.select({ id: users.id }).from(users)),
    eq(likeStates.itemType, itemType),
    eq(likeStates.itemId, itemId),
  );

export const listStatesOf = (db: Db, item: Item): LikeStateRow[] =>
  db.select().from(likeStates).where(ofEverybody(db, item)).all();

/** Lists the events of an item, oldest first. */
export const listEventsOf = (db: Db, userId: UserId, { itemType, itemId }: Item): LikeEventRow[] =>
  db
    .select()
    .from(likeEvents)
    .where(and(eq(likeEvents.userId, userId), eq(likeEvents.itemType, itemType), eq(likeEvents.itemId, itemId)))
    .orderBy(likeEvents.id)
    .all();

/**
 * Creates the statements that write likes. They are prepared once: a phone may star 100,000 songs in one request. To be
 * called in a transaction.
 */
export function createLikeWrites(db: MainDb) {
  const value = sql.placeholder;
  const item = { userId: value('userId'), itemType: value('itemType'), itemId: value('itemId') };
  const state = {
    liked: value('liked'),
    rating: value('rating'),
    ratingOrigin: value('ratingOrigin'),
    since: value('since'),
  };
  const findState = db
    .select()
    .from(likeStates)
    .where(
      and(
        eq(likeStates.userId, item.userId),
        eq(likeStates.itemType, item.itemType),
        eq(likeStates.itemId, item.itemId),
      ),
    )
    .prepare();
  const insert = db
    .insert(likeEvents)
    .values({ ...item, liked: state.liked, rating: state.rating, createdAt: value('createdAt') })
    .prepare();
  const upsertState = db
    .insert(likeStates)
    .values({ ...item, ...state })
    .onConflictDoUpdate({
      target: [likeStates.userId, likeStates.itemType, likeStates.itemId],
      set: {
        liked: sql`excluded.liked`,
        rating: sql`excluded.rating`,
        ratingOrigin: sql`excluded.rating_origin`,
        since: sql`excluded.since`,
      },
    })
    .prepare();

  return {
    find: (userId: UserId, target: Item): LikeStateRow | undefined => findState.get({ userId, ...target }),
    insertEvent: (userId: UserId, target: Item, { liked, rating, createdAt }: LikeChange): void =>
      void insert.run({ userId, ...target, liked, rating, createdAt }),
    setState: (userId: UserId, target: Item, { liked, rating, ratingOrigin, since }: ItemState): void =>
      void upsertState.run({ userId, ...target, liked, rating, ratingOrigin, since }),
  };
}

/** Removes the ratings from tags that accounts other than this one have of the tracks with ids in this range. */
export const deleteOtherTagRatings = (
  db: Db,
  userId: UserId | undefined,
  { afterId, upToId }: { afterId: number; upToId: number },
): number =>
  db
    .update(likeStates)
    .set({ rating: 0, ratingOrigin: null })
    .where(
      and(
        inArray(
          likeStates.userId,
          db
            .select({ id: users.id })
            .from(users)
            .where(ne(users.id, userId ?? NO_USER)),
        ),
        eq(likeStates.itemType, 'track'),
        gt(likeStates.itemId, afterId),
        lte(likeStates.itemId, upToId),
        eq(likeStates.ratingOrigin, 'tag'),
      ),
    )
    .run().changes;
const NO_USER = 0 as UserId;

export function deleteStatesOf(db: Db, item: Item): void {
  db.delete(likeStates).where(ofEverybody(db, item)).run();
}

/** Lists liked items, last liked first. */
export const listLikedIds = (db: Db, userId: UserId, itemType: ItemType, { limit, offset }: Page): number[] =>
  db
    .select({ id: likeStates.itemId })
    .from(likeStates)
    .where(and(eq(likeStates.userId, userId), eq(likeStates.itemType, itemType), eq(likeStates.liked, true)))
    .orderBy(desc(likeStates.since), desc(likeStates.itemId))
    .limit(limit)
    .offset(offset)
    .all()
    .map(({ id }) => id);

/** Lists rated items, highest rated first. */
export const listRatedIds = (db: Db, userId: UserId, itemType: ItemType, { limit, offset }: Page): number[] =>
  db
    .select({ id: likeStates.itemId })
    .from(likeStates)
    .where(and(eq(likeStates.userId, userId), eq(likeStates.itemType, itemType), gt(likeStates.rating, 0)))
    .orderBy(desc(likeStates.rating), likeStates.itemId)
    .limit(limit)
    .offset(offset)
    .all()
    .map(({ id }) => id);

/** Lists liked or rated items in the order of the primary key. */
export const listLikedOrRated = (
  db: Db,
  userId: UserId,
  itemType: ItemType | undefined,
  { limit, offset }: Page,
): LikeStateRow[] =>
  db
    .select()
    .from(likeStates)
    .where(
      and(
        eq(likeStates.userId, userId),
        itemType && eq(likeStates.itemType, itemType),
        or(eq(likeStates.liked, true), gt(likeStates.rating, 0)),
      ),
    )
    .orderBy(likeStates.itemType, likeStates.itemId)
    .limit(limit)
    .offset(offset)
    .all();

/** Lists like events, newest first. */
export const listEvents = (
  db: Db,
  userId: UserId,
  itemType: ItemType | undefined,
  { limit, offset }: Page,
): LikeEventRow[] =>
  db
    .select()
    .from(likeEvents)
    .where(and(eq(likeEvents.userId, userId), itemType && eq(likeEvents.itemType, itemType)))
    .orderBy(desc(likeEvents.id))
    .limit(limit)
    .offset(offset)
    .all();
