// Counts a user's events. Events are only ever added, so each is counted once.
import { and, count, eq, gt, max } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import type { UserId } from '../db/ids.ts';
import { likeEvents, type ItemType } from '../db/schema.ts';

const KEEP = 1_000;

export function createEventCounts(db: Db) {
  const counted = new Map<string, { events: number; lastId: number }>();

  return (userId: UserId, itemType: ItemType | undefined): number => {
    const key = `${userId} ${itemType ?? ''}`;
    const { events, lastId } = counted.get(key) ?? { events: 0, lastId: 0 };
    const since = db
      .select({ events: count(), lastId: max(likeEvents.id) })
      .from(likeEvents)
      .where(
        and(eq(likeEvents.userId, userId), gt(likeEvents.id, lastId), itemType && eq(likeEvents.itemType, itemType)),
      )
      .get();
    const now = { events: events + (since?.events ?? 0), lastId: since?.lastId ?? lastId };
    if (counted.size >= KEEP) counted.clear();
    counted.set(key, now);
    return now.events;
  };
}
