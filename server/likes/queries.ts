import { and, desc, eq, gt, inArray } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import type { UserId } from '../db/ids.ts';
import { albums, artists, likeEvents, likeStates, tracks, users, type ItemType } from '../db/schema.ts';
import type { Page } from '../http/paging.ts';
import type { ItemState, LikeChange } from './state.ts';

export interface Item {
  itemType: ItemType;
  itemId: number;
}
export type LikeEventRow = typeof likeEvents.$inferSelect;
export type LikeStateRow = typeof likeStates.$inferSelect;

const TABLES = { track: tracks, album: albums, artist: artists } as const;

export function isThere(db: Db, { itemType, itemId }: Item): boolean {
  const table = TABLES[itemType];
  return (
    db
      .select({ id: table.id })
      .from(table)
      .where(eq(table.id, itemId as never))
      .get() !== undefined
  );
}

/** Which of the items are in the library. */
export function idsThere(db: Db, itemType: ItemType, itemIds: readonly number[]): Set<number> {
  const table = TABLES[itemType];
  const rows = db
    .select({ id: table.id })
    .from(table)
    .where(inArray(table.id, itemIds as never))
    .all();
  return new Set(rows.map(({ id }) => id));
}

const ofItem = (userId: UserId, { itemType, itemId }: Item) =>
  and(eq(likeStates.userId, userId), eq(likeStates.itemType, itemType), eq(likeStates.itemId, itemId));

export const findState = (db: Db, userId: UserId, item: Item): LikeStateRow | undefined =>
  db.select().from(likeStates).where(ofItem(userId, item)).get();

export const listStates = (db: Db, userId: UserId, itemType: ItemType, itemIds: number[]): LikeStateRow[] =>
  db
    .select()
    .from(likeStates)
    .where(and(eq(likeStates.userId, userId), eq(likeStates.itemType, itemType), inArray(likeStates.itemId, itemIds)))
    .all();

/** Names all users, so that the primary key, which starts with the user, is used. */
const ofEverybody = (db: Db, { itemType, itemId }: Item) =>
  and(
    inArray(likeStates.userId, db.select({ id: users.id }).from(users)),
    eq(likeStates.itemType, itemType),
    eq(likeStates.itemId, itemId),
  );

export const listStatesOf = (db: Db, item: Item): LikeStateRow[] =>
  db.select().from(likeStates).where(ofEverybody(db, item)).all();

export function insertEvent(db: Db, userId: UserId, item: Item, change: LikeChange): void {
  db.insert(likeEvents)
    .values({ userId, ...item, ...change })
    .run();
}

export function setState(db: Db, userId: UserId, item: Item, state: ItemState): void {
  db.insert(likeStates)
    .values({ userId, ...item, ...state })
    .onConflictDoUpdate({ target: [likeStates.userId, likeStates.itemType, likeStates.itemId], set: { ...state } })
    .run();
}

export function deleteStatesOf(db: Db, item: Item): void {
  db.delete(likeStates).where(ofEverybody(db, item)).run();
}

/** Last liked first. */
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

/** Highest rated first. */
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

/** Newest first. */
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
