// Counts a user's like events. Events are never changed or deleted, so each is counted only once.
import { and, count, eq, gt, max } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import type { UserId } from '../db/ids.ts';
import { likeEvents, type ItemType } from '../db/schema.ts';

const MAX_CACHED_COUNTS = 1_000;

export function createEventCounts(db: Db) {
  const cachedCounts = new Map<string, { events: number; lastId: number }>();

  return (userId: UserId, itemType: ItemType | undefined): number => {
    const key = `${userId} ${itemType ?? ''}`;
    const { events, lastId } = cachedCounts.get(key) ?? { events: 0, lastId: 0 };
    const newEvents = db
      .select({ events: count(), lastId: max(likeEvents.id) })
      .from(likeEvents)
      .where(
        and(eq(likeEvents.userId, userId), gt(likeEvents.id, lastId), itemType && eq(likeEvents.itemType, itemType)),
      )
      .get();
    const newCount = { events: events + (newEvents?.events ?? 0), lastId: newEvents?.lastId ?? lastId };
    if (cachedCounts.size >= MAX_CACHED_COUNTS) cachedCounts.clear();
    cachedCounts.set(key, newCount);
    return newCount.events;
  };
}
