// Likes and ratings. Every change is stored as an event; the resulting state is stored beside the events.
import type { MainDb } from '../db/client.ts';
import type { TrackId, UserId } from '../db/ids.ts';
import type { ItemType } from '../db/schema.ts';
import { notFound } from '../errors.ts';
import type { Page, Paged } from '../http/paging.ts';
import { inSlices, partsOf } from '../runtime/time-slices.ts';
import { createEventCounts } from './event-counts.ts';
import {
  createLikeWrites,
  deleteOtherTagRatings,
  findExistingIds,
  itemExists,
  listEvents,
  listLikedOrRated,
  listLikedIds,
  listRatedIds,
  listStates,
  type Item,
  type LikeEventRow,
} from './queries.ts';
import { nextState, stateWithTagRating, type ItemState } from './state.ts';

/** The state of an item; `since` is null for an item without events. */
export type LikeSummary = Item & Omit<ItemState, 'since'> & { since: Date | null };

export type LikeService = ReturnType<typeof createLikeService>;

interface LikeInput {
  liked: boolean;
  rating: number | null;
}

/** The number of ids that one statement looks up. */
const MAX_IDS_PER_QUERY = 500;

/** `onChange` is called after changes are stored, with the new states. */
export function createLikeService({
  db,
  now,
  onChange = () => {},
}: {
  db: MainDb;
  now: () => Date;
  onChange?: (userId: UserId, states: readonly LikeSummary[]) => void;
}) {
  const countEvents = createEventCounts(db);

  const writes = createLikeWrites(db);

  /** Stores a change and its event. To be called in a transaction. */
  function record(userId: UserId, item: Item, { liked, rating }: LikeInput): LikeSummary {
    const change = { liked, rating, createdAt: now() };
    writes.insertEvent(userId, item, change);
    const state = nextState(writes.find(userId, item), change);
    writes.setState(userId, item, state);
    return { ...item, ...state };
  }

  return {
    /** Changes the like or rating of an item. Throws `not_found` for an item that is not in the library. */
    add(userId: UserId, item: Item, input: LikeInput): LikeSummary {
      const summary = db.transaction(
        (tx) => {
          if (!itemExists(tx, item)) throw notFound(item.itemType, item.itemId);
          return record(userId, item, input);
        },
        { behavior: 'immediate' },
      );
      onChange(userId, [summary]);
      return summary;
    },

    /**
     * Makes the same change to many items, in slices. Skips items that are not in the library, and with `onlyNews`
     * items that already have that state. Returns how many were changed.
     */
    async addMany(
      userId: UserId,
      items: readonly Item[],
      input: LikeInput,
      { onlyNews = false }: { onlyNews?: boolean } = {},
    ): Promise<number> {
      const changedItems: Item[] = [];
      for (const [itemType, typeItems] of Map.groupBy(items, (item) => item.itemType))
        await inSlices(partsOf(typeItems, MAX_IDS_PER_QUERY), (chunk) => {
          const ids = chunk.map(({ itemId }) => itemId);
          const existingIds = findExistingIds(db, itemType, ids);
          const states = new Map(listStates(db, userId, itemType, ids).map((state) => [state.itemId, state.liked]));
          for (const item of chunk)
            if (existingIds.has(item.itemId) && !(onlyNews && (states.get(item.itemId) ?? false) === input.liked))
              changedItems.push(item);
        });
      let slice: LikeSummary[] = [];
      await inSlices(
        changedItems,
        (item) => void slice.push(record(userId, item, input)),
        (work) => {
          slice = [];
          db.transaction(work, { behavior: 'immediate' });
          onChange(userId, slice);
        },
      );
      return changedItems.length;
    },

    /**
     * Gives a user the rating in the tags of a track, unless the user has rated the track, or removed its rating. Null
     * takes the rating of earlier tags back. To be called in a transaction.
     */
    setTagRating(userId: UserId, itemId: TrackId, rating: number | null): void {
      const item: Item = { itemType: 'track', itemId };
      const state = stateWithTagRating(writes.find(userId, item), rating, now());
      if (state) writes.setState(userId, item, state);
    },
    /**
     * Removes the ratings from tags that other users have of the tracks with ids in this range; without a user, those
     * of all. Returns the number of removed ratings.
     */
    removeOtherTagRatings: (userId: UserId | undefined, range: { afterId: number; upToId: number }): number =>
      deleteOtherTagRatings(db, userId, range),

    /** Returns the items that are in the library, in the same order. */
    async filterExisting(items: readonly Item[]): Promise<Item[]> {
      const existingItems = new Set<Item>();
      for (const [itemType, typeItems] of Map.groupBy(items, (item) => item.itemType))
        await inSlices(partsOf(typeItems, MAX_IDS_PER_QUERY), (chunk) => {
          const existingIds = findExistingIds(
            db,
            itemType,
            chunk.map(({ itemId }) => itemId),
          );
          for (const item of chunk) if (existingIds.has(item.itemId)) existingItems.add(item);
        });
      return items.filter((item) => existingItems.has(item));
    },

    listEvents: (userId: UserId, itemType: ItemType | undefined, page: Page): Paged<LikeEventRow> => ({
      items: listEvents(db, userId, itemType, page),
      total: countEvents(userId, itemType),
    }),

    /** Returns liked items, last liked first. The list may include items that were removed from the library. */
    listLikedIds: (userId: UserId, itemType: ItemType, page: Page): number[] =>
      listLikedIds(db, userId, itemType, page),
    /** Returns rated items, highest rated first. The list may include items that were removed from the library. */
    listRatedIds: (userId: UserId, itemType: ItemType, page: Page): number[] =>
      listRatedIds(db, userId, itemType, page),

    /** Lists all items that are liked or rated, by type and id. */
    listStates: (userId: UserId, itemType: ItemType | undefined, page: Page): LikeSummary[] =>
      listLikedOrRated(db, userId, itemType, page),

    /** Returns a state for each id, in the same order. */
    states(userId: UserId, itemType: ItemType, itemIds: number[]): LikeSummary[] {
      const statesById = new Map(listStates(db, userId, itemType, itemIds).map((row) => [row.itemId, row]));
      return itemIds.map(
        (itemId) =>
          statesById.get(itemId) ?? {
            itemType,
            itemId,
            liked: false,
            rating: 0,
            ratingOrigin: null,
            since: null,
          },
      );
    },
  };
}
