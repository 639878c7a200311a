// What people liked and rated: an event for every word of theirs, and beside it the state that the events add up to.
import type { MainDb } from '../db/client.ts';
import type { UserId } from '../db/ids.ts';
import type { ItemType } from '../db/schema.ts';
import { notFound } from '../errors.ts';
import type { Page, Paged } from '../http/paging.ts';
import { findState, insertEvent, isThere, listEvents, listStates, setState, type Item, type LikeEventRow } from './queries.ts';
import { nextState, type ItemState } from './state.ts';

/** Since is null for an item that the person never said anything about. */
export type LikeSummary = Item & Omit<ItemState, 'since'> & { since: Date | null };

export type LikeService = ReturnType<typeof createLikeService>;

export function createLikeService({ db, now }: { db: MainDb; now: () => Date }) {
  return {
    /** Throws `not_found` for an item that is not in the library. */
    add: (userId: UserId, item: Item, { liked, rating }: { liked: boolean; rating: number | null }): LikeSummary => db.transaction((tx) => {
      if (!isThere(tx, item)) throw notFound(item.itemType, item.itemId);
      const change = { liked, rating, createdAt: now() };
      insertEvent(tx, userId, item, change);
      const state = nextState(findState(tx, userId, item), change);
      setState(tx, userId, item, state);
      return { ...item, ...state };
    }, { behavior: 'immediate' }),

    listEvents: (userId: UserId, itemType: ItemType | undefined, page: Page): Paged<LikeEventRow> => listEvents(db, userId, itemType, page),

    /** One for each id, in their order. */
    states(userId: UserId, itemType: ItemType, itemIds: number[]): LikeSummary[] {
      const known = new Map(listStates(db, userId, itemType, itemIds).map((row) => [row.itemId, row]));
      return itemIds.map((itemId) => known.get(itemId) ?? { itemType, itemId, liked: false, rating: 0, since: null });
    },
  };
}
