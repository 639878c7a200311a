// Moves likes and ratings when two tracks are merged, and back when that is undone, and takes those of an album or
// artist along that has become another one. Runs inside the caller's transaction.
import { z } from 'zod';
import type { MainDb } from '../db/client.ts';
import type { TrackId, UserId } from '../db/ids.ts';
import type { TrackMergePart } from '../library/track-merge.ts';
import { createLikeWrites, deleteStatesOf, listEventsOf, listStatesOf, type Item } from './queries.ts';
import { changeToAbsorb, nextState, type ItemState } from './state.ts';

const track = (itemId: TrackId): Item => ({ itemType: 'track', itemId });

const State = z.object({
  userId: z.int().transform((id) => id as UserId),
  liked: z.boolean(),
  rating: z.int(),
  since: z.int().transform((ms) => new Date(ms)),
});
const Remembered = z.object({ from: z.array(State), to: z.array(State) });

export function createLikeMerge({ db }: { db: MainDb }): TrackMergePart & {
  rename(itemType: 'album' | 'artist', from: number, to: number): void;
} {
  const writes = createLikeWrites(db);

  function absorb(left: Item, kept: Item): void {
    for (const { userId, ...other } of listStatesOf(db, left)) {
      const before = writes.find(userId, kept);
      const change = changeToAbsorb(before, other);
      if (!change) continue;
      writes.insertEvent(userId, kept, change);
      writes.setState(userId, kept, nextState(before, change));
    }
  }

  const statesOf = (id: TrackId): z.input<typeof State>[] =>
    listStatesOf(db, track(id)).map(({ userId, liked, rating, since }) => ({
      userId,
      liked,
      rating,
      since: since.getTime(),
    }));

  return {
    /** Each of the two keeps what was changed while it was heard. A like that was there before stays with the first. */
    moveSince(from, to, since): void {
      for (const { userId } of listStatesOf(db, track(from))) {
        const events = listEventsOf(db, userId, track(from));
        const earlier = events.filter(({ createdAt }) => createdAt < since);
        if (earlier.length === events.length) continue;
        const none: ItemState = { liked: false, rating: 0, since };
        const ownState = earlier.reduce(nextState, undefined as ItemState | undefined) ?? none;
        const lastState = events.slice(earlier.length).reduce(nextState, ownState);
        const liked = lastState.liked && !ownState.liked;
        const rating = lastState.rating === ownState.rating ? 0 : lastState.rating;
        writes.setState(userId, track(from), ownState);
        writes.insertEvent(userId, track(from), { liked: ownState.liked, rating: ownState.rating, createdAt: since });
        if (!liked && rating === 0) continue;
        writes.insertEvent(userId, track(to), { liked, rating, createdAt: lastState.since });
        writes.setState(userId, track(to), { liked, rating, since: lastState.since });
      }
    },

    move(from, to): void {
      absorb(track(from), track(to));
      deleteStatesOf(db, track(from));
    },

    /** The states of the emptied one stay: it may return. */
    rename: (itemType, from, to) => absorb({ itemType, itemId: from }, { itemType, itemId: to }),

    remembers: { name: 'likes', of: (from, to) => ({ from: statesOf(from), to: statesOf(to) }) },

    /** What the kept track has of the other one, and nobody changed since, goes from it. */
    bringBack(from, to, { remembered, at }): void {
      const before = Remembered.parse(remembered);
      for (const { userId, ...other } of before.from) {
        writes.setState(userId, track(from), other); // its events are still there
        const own = before.to.find((state) => state.userId === userId);
        const change = changeToAbsorb(own, other);
        const now = writes.find(userId, track(to));
        if (!change || !now || !isSame(now, nextState(own, change))) continue;
        writes.insertEvent(userId, track(to), { liked: own?.liked ?? false, rating: own?.rating ?? 0, createdAt: at });
        writes.setState(userId, track(to), own ?? { liked: false, rating: 0, since: at });
      }
    },
  };
}

const isSame = (a: ItemState, b: ItemState): boolean =>
  a.liked === b.liked && a.rating === b.rating && a.since.getTime() === b.since.getTime();
