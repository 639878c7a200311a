// What people liked and rated: an event for every word of theirs, and beside it the state that the events add up to.
import { setImmediate as breathe } from 'node:timers/promises';
import type { Db, MainDb } from '../db/client.ts';
import type { UserId } from '../db/ids.ts';
import type { ItemType } from '../db/schema.ts';
import { notFound } from '../errors.ts';
import type { Page, Paged } from '../http/paging.ts';
import { createEventCounts } from './event-counts.ts';
import {
  findState,
  insertEvent,
  isThere,
  listEvents,
  listLikedIds,
  listRatedIds,
  listStates,
  setState,
  type Item,
  type LikeEventRow,
} from './queries.ts';
import { nextState, type ItemState } from './state.ts';

/** Since is null for an item that the person never said anything about. */
export type LikeSummary = Item & Omit<ItemState, 'since'> & { since: Date | null };

export type LikeService = ReturnType<typeof createLikeService>;

interface Said {
  liked: boolean;
  rating: number | null;
}

/** Between slices others have their turn. */
const SLICE = 50;

/** `onChange` hears of every change after it is on disk. */
export function createLikeService({
  db,
  now,
  onChange = () => {},
}: {
  db: MainDb;
  now: () => Date;
  onChange?: (userId: UserId, state: LikeSummary) => void;
}) {
  const countEvents = createEventCounts(db);

  function say(tx: Db, userId: UserId, item: Item, { liked, rating }: Said): LikeSummary {
    const change = { liked, rating, createdAt: now() };
    insertEvent(tx, userId, item, change);
    const state = nextState(findState(tx, userId, item), change);
    setState(tx, userId, item, state);
    return { ...item, ...state };
  }

  return {
    /** Throws `not_found` for an item that is not in the library. */
    add(userId: UserId, item: Item, said: Said): LikeSummary {
      const summary = db.transaction(
        (tx) => {
          if (!isThere(tx, item)) throw notFound(item.itemType, item.itemId);
          return say(tx, userId, item, said);
        },
        { behavior: 'immediate' },
      );
      onChange(userId, summary);
      return summary;
    },

    /** The same said of many; items that are not in the library are passed over. */
    async addMany(userId: UserId, items: readonly Item[], said: Said): Promise<LikeSummary[]> {
      const summaries: LikeSummary[] = [];
      for (let i = 0; i < items.length; i += SLICE) {
        if (i > 0) await breathe();
        summaries.push(
          ...db.transaction(
            (tx) =>
              items
                .slice(i, i + SLICE)
                .filter((item) => isThere(tx, item))
                .map((item) => say(tx, userId, item, said)),
            { behavior: 'immediate' },
          ),
        );
      }
      for (const summary of summaries) onChange(userId, summary);
      return summaries;
    },

    listEvents: (userId: UserId, itemType: ItemType | undefined, page: Page): Paged<LikeEventRow> => ({
      items: listEvents(db, userId, itemType, page),
      total: countEvents(userId, itemType),
    }),

    /** Ids, the last liked and the highest rated first. Items that left the library may be among them. */
    listLikedIds: (userId: UserId, itemType: ItemType, page: Page): number[] =>
      listLikedIds(db, userId, itemType, page),
    listRatedIds: (userId: UserId, itemType: ItemType, page: Page): number[] =>
      listRatedIds(db, userId, itemType, page),

    /** One for each id, in their order. */
    states(userId: UserId, itemType: ItemType, itemIds: number[]): LikeSummary[] {
      const known = new Map(listStates(db, userId, itemType, itemIds).map((row) => [row.itemId, row]));
      return itemIds.map((itemId) => known.get(itemId) ?? { itemType, itemId, liked: false, rating: 0, since: null });
    },
  };
}
