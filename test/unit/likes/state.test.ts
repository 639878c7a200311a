// The state after all events, compared with a second implementation: the last like, the last rating, and since when.
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../support/test-random.ts';
import { changeToAbsorb, nextState, type ItemState, type LikeChange } from '../../../server/likes/state.ts';

const sum = (events: readonly LikeChange[]): ItemState | undefined =>
  events.reduce<ItemState | undefined>(nextState, undefined);
const event = (liked: boolean, rating: number | null, at: number): LikeChange => ({
  liked,
  rating,
  createdAt: new Date(at),
});

function said(events: readonly LikeChange[]): ItemState | undefined {
  const last = events.at(-1);
  if (!last) return undefined;
  const lastOther = events.findLastIndex(({ liked }) => liked !== last.liked);
  return {
    liked: last.liked,
    rating: events.findLast(({ rating }) => rating !== null)?.rating ?? 0,
    since: (events[lastOther + 1] as LikeChange).createdAt,
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
    expect(sum(events)).toEqual(state);
  });

  test('is that of the last event, in any order and at any time', () => {
    const random = seededRandom(11);
    for (let round = 0; round < 500; round++) {
      const events = Array.from({ length: Math.floor(random() * 8) }, () =>
        event(random() < 0.5, random() < 0.4 ? null : Math.floor(random() * 6), Math.floor(random() * 100)),
      );
      expect(sum(events)).toEqual(said(events));
      const shuffled = events.toSorted(() => random() - 0.5);
      expect(sum(shuffled)).toEqual(said(shuffled));
    }
  });

  test('of an item does not depend on events of others', () => {
    const random = seededRandom(12);
    const all = Array.from({ length: 300 }, (_, i) => ({
      item: Math.floor(random() * 5),
      change: event(random() < 0.5, random() < 0.5 ? null : i % 6, i),
    }));
    const states = new Map<number, ItemState>();
    for (const { item, change } of all) states.set(item, nextState(states.get(item), change));
    for (let item = 0; item < 5; item++)
      expect(states.get(item)).toEqual(sum(all.filter((one) => one.item === item).map(({ change }) => change)));
  });

  test('of two merged items has a like and a rating of either', () => {
    const random = seededRandom(13);
    const some = (): LikeChange[] =>
      Array.from({ length: Math.floor(random() * 5) }, () =>
        event(random() < 0.5, random() < 0.5 ? null : Math.floor(random() * 6), Math.floor(random() * 100)),
      );
    for (let round = 0; round < 300; round++) {
      const [kept, other] = [sum(some()), sum(some())];
      const change = other && changeToAbsorb(kept, other);
      const after = change ? nextState(kept, change) : kept;
      expect([after?.liked ?? false, after?.rating ?? 0]).toEqual([
        (kept?.liked ?? false) || (other?.liked ?? false),
        kept?.rating || (other?.rating ?? 0),
      ]);
    }
  });
});
