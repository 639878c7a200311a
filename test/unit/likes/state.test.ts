// The state after all events is compared with a second implementation: last like, last rating, and since when.
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../support/test-random.ts';
import {
  changeToAbsorb,
  nextState,
  stateWithTagRating,
  type ItemState,
  type LikeChange,
} from '../../../server/likes/state.ts';

const reduceEvents = (events: readonly LikeChange[]): ItemState | undefined =>
  events.reduce<ItemState | undefined>(nextState, undefined);
const event = (liked: boolean, rating: number | null, timeMs: number): LikeChange => ({
  liked,
  rating,
  createdAt: new Date(timeMs),
});

function computeState(events: readonly LikeChange[]): ItemState | undefined {
  const lastEvent = events.at(-1);
  if (!lastEvent) return undefined;
  const lastOppositeIndex = events.findLastIndex(({ liked }) => liked !== lastEvent.liked);
  return {
    liked: lastEvent.liked,
    rating: events.findLast(({ rating }) => rating !== null)?.rating ?? 0,
    ratingOrigin: events.some(({ rating }) => rating !== null) ? 'person' : null,
    since: (events[lastOppositeIndex + 1] as LikeChange).createdAt,
  };
}

describe('the state', () => {
  test.each([
    ['nothing said', [], undefined],
    ['a like', [event(true, null, 1)], { liked: true, rating: 0, ratingOrigin: null, since: new Date(1) }],
    ['a rating alone', [event(false, 5, 1)], { liked: false, rating: 5, ratingOrigin: 'person', since: new Date(1) }],
    [
      'liked twice',
      [event(true, null, 1), event(true, 3, 2)],
      { liked: true, rating: 3, ratingOrigin: 'person', since: new Date(1) },
    ],
    [
      'taken back',
      [event(true, 4, 1), event(false, null, 2)],
      { liked: false, rating: 4, ratingOrigin: 'person', since: new Date(2) },
    ],
    [
      'a rating taken back',
      [event(true, 4, 1), event(true, 0, 2)],
      { liked: true, rating: 0, ratingOrigin: 'person', since: new Date(1) },
    ],
    [
      'liked, not, liked',
      [event(true, null, 1), event(false, null, 2), event(true, null, 3)],
      { liked: true, rating: 0, ratingOrigin: null, since: new Date(3) },
    ],
  ])('of %s', (_, events, state) => {
    expect(reduceEvents(events)).toEqual(state);
  });

  test('is that of the latest event, in whatever order events arrive', () => {
    const random = seededRandom(11);
    for (let round = 0; round < 500; round++) {
      const events = Array.from({ length: Math.floor(random() * 8) }, () =>
        event(random() < 0.5, random() < 0.4 ? null : Math.floor(random() * 6), Math.floor(random() * 100)),
      );
      expect(reduceEvents(events)).toEqual(computeState(events));
      const shuffledEvents = events.toSorted(() => random() - 0.5);
      expect(reduceEvents(shuffledEvents)).toEqual(computeState(shuffledEvents));
    }
  });

  test('of an item does not depend on events of other items', () => {
    const random = seededRandom(12);
    const changesOfItems = Array.from({ length: 300 }, (_, i) => ({
      item: Math.floor(random() * 5),
      change: event(random() < 0.5, random() < 0.5 ? null : i % 6, i),
    }));
    const statesByItem = new Map<number, ItemState>();
    for (const { item, change } of changesOfItems) statesByItem.set(item, nextState(statesByItem.get(item), change));
    for (let item = 0; item < 5; item++)
      expect(statesByItem.get(item)).toEqual(
        reduceEvents(changesOfItems.filter((entry) => entry.item === item).map(({ change }) => change)),
      );
  });

  test('of two merged items has the like and the rating of either', () => {
    const random = seededRandom(13);
    const makeEvents = (): LikeChange[] =>
      Array.from({ length: Math.floor(random() * 5) }, () =>
        event(random() < 0.5, random() < 0.5 ? null : Math.floor(random() * 6), Math.floor(random() * 100)),
      );
    for (let round = 0; round < 300; round++) {
      const [keptState, absorbedState] = [reduceEvents(makeEvents()), reduceEvents(makeEvents())];
      const change = absorbedState && changeToAbsorb(keptState, absorbedState);
      const mergedState = change ? nextState(keptState, change) : keptState;
      expect([mergedState?.liked ?? false, mergedState?.rating ?? 0]).toEqual([
        (keptState?.liked ?? false) || (absorbedState?.liked ?? false),
        keptState?.rating || (absorbedState?.rating ?? 0),
      ]);
    }
  });
});

describe('a rating from tags', () => {
  const [since, now] = [new Date(1), new Date(2)];
  const byTag: ItemState = { liked: false, rating: 4, ratingOrigin: 'tag', since };
  const byPerson: ItemState = { liked: false, rating: 2, ratingOrigin: 'person', since };
  const removed: ItemState = { ...byPerson, rating: 0 };

  test.each<[string, ItemState | undefined, number | null, ItemState | undefined]>([
    ['is that of an item without a state', undefined, 4, { ...byTag, since: now }],
    ['follows the tags', byTag, 3, { ...byTag, rating: 3 }],
    ['goes with the tags', byTag, null, { ...byTag, rating: 0, ratingOrigin: null }],
    ['keeps a like', { ...byTag, liked: true }, 3, { ...byTag, liked: true, rating: 3 }],
    ['is not put over that of a person', byPerson, 4, undefined],
    ['does not come back after a person removed it', removed, 4, undefined],
    ['does not remove that of a person', byPerson, null, undefined],
  ])('%s', (_, state, rating, nextRatingState) =>
    expect(stateWithTagRating(state, rating, now)).toEqual(nextRatingState),
  );

  test('becomes the own one when a person rates the item, and stays when a person only likes it', () => {
    expect(nextState(byTag, event(false, 4, 2))).toMatchObject({ rating: 4, ratingOrigin: 'person' });
    expect(nextState(byTag, event(false, 0, 2))).toMatchObject({ rating: 0, ratingOrigin: 'person' });
    expect(nextState(byTag, event(true, null, 2))).toMatchObject({ rating: 4, ratingOrigin: 'tag' });
  });

  test('of a merged item gives way to that of a person', () => {
    expect(changeToAbsorb(byTag, byPerson)).toMatchObject({ rating: 2 });
    expect(changeToAbsorb(byPerson, byTag)).toBeUndefined();
    expect(changeToAbsorb(removed, byTag)).toBeUndefined();
    expect(changeToAbsorb(undefined, byTag)).toMatchObject({ rating: 4, ratingOrigin: 'tag' });
  });
});
