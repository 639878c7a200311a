// The state after all events is compared with a second implementation: last like, last rating, and since when.
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../support/test-random.ts';
import { changeToAbsorb, nextState, type ItemState, type LikeChange } from '../../../server/likes/state.ts';

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
    since: (events[lastOppositeIndex + 1] as LikeChange).createdAt,
  };
}

describe('the state', () => {
  test.each([
    ['nothing said', [], undefined],
    ['a like', [event(true, null, 1)], { liked: true, rating: 0, since: new Date(1) }],
    ['a rating alone', [event(false, 5, 1)], { liked: false, rating: 5, since: new Date(1) }],
    ['liked twice', [event(true, null, 1), event(true, 3, 2)], { liked: true, rating: 3, since: new Date(1) }],
    ['taken back', [event(true, 4, 1), event(false, null, 2)], { liked: false, rating: 4, since: new Date(2) }],
    ['a rating taken back', [event(true, 4, 1), event(true, 0, 2)], { liked: true, rating: 0, since: new Date(1) }],
    [
      'liked, not, liked',
      [event(true, null, 1), event(false, null, 2), event(true, null, 3)],
      { liked: true, rating: 0, since: new Date(3) },
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
