// Moves likes and ratings when two tracks are merged or an album or artist goes into another one, and back when that is
// undone. Runs inside the caller's transaction.
import { z } from 'zod';
import type { MainDb } from '../db/client.ts';
import type { TrackId, UserId } from '../db/ids.ts';
import type { AnnotationPart } from '../library/annotations.ts';
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
type UserState = z.output<typeof State>;
/** The states of both items before the likes of `from` were added to `to`. */
const Remembered = z.object({ from: z.array(State), to: z.array(State) });
type Remembered = z.output<typeof Remembered>;
/** Of annotation_moves, which may be from a backup. */
const Memory = Remembered.catch({ from: [], to: [] });

export function createLikeMoves({ db, now }: { db: MainDb; now: () => Date }): {
  ofTracks: TrackMergePart;
  ofAlbumsAndArtists: AnnotationPart;
} {
  const writes = createLikeWrites(db);

  function absorb(states: readonly UserState[], kept: Item): void {
    for (const { userId, ...other } of states) {
      const keptState = writes.find(userId, kept);
      const change = changeToAbsorb(keptState, other);
      if (!change) continue;
      writes.insertEvent(userId, kept, change);
      writes.setState(userId, kept, nextState(keptState, change));
    }
  }

  const statesOf = (item: Item): z.input<typeof State>[] => listStatesOf(db, item).map(toJson);

  /** The state of `holder` that follows from what it absorbed; undefined where it absorbed nothing. */
  function absorbedState({ to }: Remembered, { userId, ...other }: UserState): ItemState | undefined {
    const own = to.find((state) => state.userId === userId);
    const change = changeToAbsorb(own, other);
    return change && nextState(own, change);
  }

  /** What an item absorbed, and nobody changed since, goes from it. */
  function takeBack(holder: Item, before: Remembered, at: Date): void {
    for (const other of before.from) {
      const { userId } = other;
      const [absorbed, current] = [absorbedState(before, other), writes.find(userId, holder)];
      if (!absorbed || !current || !isSame(current, absorbed)) continue;
      const own = before.to.find((state) => state.userId === userId);
      writes.insertEvent(userId, holder, { liked: own?.liked ?? false, rating: own?.rating ?? 0, createdAt: at });
      writes.setState(userId, holder, own ?? { liked: false, rating: 0, since: at });
    }
  }

  /** What people said of an item while another one held its likes: what they said last counts. */
  function currentStates(holder: Item, before: Remembered): UserState[] {
    return before.from.map((other) => {
      const [absorbed, current] = [absorbedState(before, other), writes.find(other.userId, holder)];
      const isChanged = absorbed !== undefined && current !== undefined && !isSame(current, absorbed);
      return isChanged ? { ...current, userId: other.userId } : other;
    });
  }

  return {
    ofTracks: {
      /** Each track keeps what was changed while it was heard. A like from before stays with the first. */
      moveSince(from, to, since): boolean {
        let isMoved = false;
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
          isMoved = true;
        }
        return isMoved;
      },

      move(from, to): void {
        absorb(listStatesOf(db, track(from)), track(to));
        deleteStatesOf(db, track(from));
      },

      remembers: { name: 'likes', of: (from, to) => ({ from: statesOf(track(from)), to: statesOf(track(to)) }) },

      bringBack(from, to, { remembered, at }): void {
        const states = Remembered.parse(remembered);
        // the events of the emptied track stayed
        for (const { userId, ...other } of states.from) writes.setState(userId, track(from), other);
        takeBack(track(to), states, at);
      },
    },

    ofAlbumsAndArtists: {
      name: 'likes',
      move({ type, from, to, holder, memory }): unknown {
        const source: Item = { itemType: type, itemId: holder };
        const target: Item = { itemType: type, itemId: to };
        const ownStates = statesOf(target);
        const states = holder === from ? listStatesOf(db, source) : currentStates(source, Memory.parse(memory));
        absorb(states, target);
        if (holder === from) deleteStatesOf(db, source);
        return { from: states.map(toJson), to: ownStates };
      },
      takeBack: ({ type, holder, memory }) => takeBack({ itemType: type, itemId: holder }, Memory.parse(memory), now()),
    },
  };
}

const toJson = ({ userId, liked, rating, since }: UserState): z.input<typeof State> => ({
  userId,
  liked,
  rating,
  since: since.getTime(),
});

const isSame = (a: ItemState, b: ItemState): boolean =>
  a.liked === b.liked && a.rating === b.rating && a.since.getTime() === b.since.getTime();
