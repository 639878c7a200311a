// Moves likes and ratings when two tracks are merged or an album or artist becomes part of another one, and moves them
// back when that is undone. Runs inside the caller's transaction.
import { z } from 'zod';
import type { MainDb } from '../db/client.ts';
import type { TrackId, UserId } from '../db/ids.ts';
import type { AnnotationPart } from '../library/tracks/annotations.ts';
import type { TrackMergePart } from '../library/merges/track-merge.ts';
import { createLikeWrites, deleteStatesOf, listEventsOf, listStatesOf, type Item } from './queries.ts';
import { changeToAbsorb, nextState, type ItemState, type LikeChange } from './state.ts';

const track = (itemId: TrackId): Item => ({ itemType: 'track', itemId });

const State = z.object({
  userId: z.int().transform((id) => id as UserId),
  liked: z.boolean(),
  rating: z.number(),
  ratingOrigin: z.enum(['person', 'tag']).nullable().default(null), // absent in merges of earlier versions
  since: z.int().transform((ms) => new Date(ms)),
});
type UserState = z.output<typeof State>;
/** The states of both items before the likes of `from` were added to `to`. */
const MergeMemory = z.object({ from: z.array(State), to: z.array(State) });
type MergeMemory = z.output<typeof MergeMemory>;
/** The memory of a move in annotation_moves, which may come from a backup. */
const Memory = MergeMemory.catch({ from: [], to: [] });

export function createLikeMoves({ db, now }: { db: MainDb; now: () => Date }): {
  ofTracks: TrackMergePart;
  ofAlbumsAndArtists: AnnotationPart;
} {
  const writes = createLikeWrites(db);

  function absorb(states: readonly UserState[], target: Item): void {
    for (const { userId, ...state } of states) {
      const keptState = writes.find(userId, target);
      const change = changeToAbsorb(keptState, state);
      if (!change) continue;
      recordChange(userId, target, keptState, change);
      writes.setState(userId, target, nextState(keptState, change));
    }
  }

  /** Records a change by a person; a rating from tags has no event. */
  function recordChange(userId: UserId, target: Item, previousState: ItemState | undefined, change: LikeChange): void {
    const { ratingOrigin, liked } = change;
    if (ratingOrigin !== 'tag') writes.insertEvent(userId, target, change);
    else if (liked !== (previousState?.liked ?? false)) writes.insertEvent(userId, target, { ...change, rating: null });
  }

  const statesOf = (item: Item): z.input<typeof State>[] => listStatesOf(db, item).map(toJson);

  /** Returns the state that the holder had after it absorbed another state; undefined if it absorbed nothing. */
  function absorbedState({ to }: MergeMemory, { userId, ...other }: UserState): ItemState | undefined {
    const ownState = to.find((state) => state.userId === userId);
    const change = changeToAbsorb(ownState, other);
    return change && nextState(ownState, change);
  }

  /** Takes absorbed likes and ratings back from an item, unless somebody has changed them since. */
  function takeBack(holder: Item, memory: MergeMemory, takenBackAt: Date): void {
    for (const state of memory.from) {
      const { userId } = state;
      const [absorbedByHolder, currentState] = [absorbedState(memory, state), writes.find(userId, holder)];
      if (!absorbedByHolder || !currentState || !isSameState(currentState, absorbedByHolder)) continue;
      const ownState = memory.to.find((state) => state.userId === userId);
      writes.insertEvent(userId, holder, {
        liked: ownState?.liked ?? false,
        rating: ownState?.ratingOrigin === 'tag' ? 0 : (ownState?.rating ?? 0),
        createdAt: takenBackAt,
      });
      writes.setState(userId, holder, ownState ?? noState(takenBackAt));
    }
  }

  /** Returns the latest states of an item whose likes another item held. */
  function currentStates(holder: Item, memory: MergeMemory): UserState[] {
    return memory.from.map((state) => {
      const [absorbedByHolder, currentState] = [absorbedState(memory, state), writes.find(state.userId, holder)];
      const isChanged =
        absorbedByHolder !== undefined && currentState !== undefined && !isSameState(currentState, absorbedByHolder);
      return isChanged ? { ...currentState, userId: state.userId } : state;
    });
  }

  return {
    ofTracks: {
      /**
       * Moves changes since that moment to the other track, whose audio was played then. An earlier like stays with the
       * first track.
       */
      moveSince(from, to, since): boolean {
        let isMoved = false;
        for (const { userId, rating: currentRating, ratingOrigin } of listStatesOf(db, track(from))) {
          const events = listEventsOf(db, userId, track(from));
          const earlierEvents = events.filter(({ createdAt }) => createdAt < since);
          if (earlierEvents.length === events.length) continue;
          const eventState = earlierEvents.reduce(nextState, undefined as ItemState | undefined) ?? noState(since);
          // a rating from tags belongs to the file, which stays with the first track
          const ownState = ratingOrigin === 'tag' ? { ...eventState, rating: currentRating, ratingOrigin } : eventState;
          const lastState = events.slice(earlierEvents.length).reduce(nextState, ownState);
          const liked = lastState.liked && !ownState.liked;
          const rating = lastState.rating === ownState.rating ? 0 : lastState.rating;
          writes.setState(userId, track(from), ownState);
          writes.insertEvent(userId, track(from), {
            liked: ownState.liked,
            rating: ratingOrigin === 'tag' ? null : ownState.rating,
            createdAt: since,
          });
          if (!liked && rating === 0) continue;
          writes.insertEvent(userId, track(to), { liked, rating, createdAt: lastState.since });
          writes.setState(userId, track(to), {
            liked,
            rating,
            ratingOrigin: rating === 0 ? null : 'person',
            since: lastState.since,
          });
          isMoved = true;
        }
        return isMoved;
      },

      move(from, to): void {
        absorb(listStatesOf(db, track(from)), track(to));
        deleteStatesOf(db, track(from));
      },

      remembers: { name: 'likes', stateOf: (from, to) => ({ from: statesOf(track(from)), to: statesOf(track(to)) }) },

      bringBack(from, to, { remembered, undoneAt }): void {
        const states = MergeMemory.parse(remembered);
        // the events of the emptied track were not moved
        for (const { userId, ...state } of states.from) writes.setState(userId, track(from), state);
        takeBack(track(to), states, undoneAt);
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

const noState = (since: Date): ItemState => ({ liked: false, rating: 0, ratingOrigin: null, since });

const toJson = ({ userId, liked, rating, ratingOrigin, since }: UserState): z.input<typeof State> => ({
  userId,
  liked,
  rating,
  ratingOrigin,
  since: since.getTime(),
});

const isSameState = (a: ItemState, b: ItemState): boolean =>
  a.liked === b.liked &&
  a.rating === b.rating &&
  (a.ratingOrigin === 'tag') === (b.ratingOrigin === 'tag') &&
  a.since.getTime() === b.since.getTime();
