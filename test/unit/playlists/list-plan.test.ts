import { describe, expect, test } from 'vitest';
import type { TrackId } from '../../../server/db/ids.ts';
import { longestRising, planList, reuseEntries } from '../../../server/playlists/list-plan.ts';
import { GAP, placesBetween } from '../../../server/playlists/positions.ts';
import { seededRandom } from '../../support/test-random.ts';

const random = seededRandom(2);
const shuffled = (n: number): number[] =>
  Array.from({ length: n }, (_, i) => [i, random()] as const)
    .toSorted((a, b) => a[1] - b[1])
    .map(([i]) => i);
const wanted = (ids: readonly number[]) => ids.map((id) => ({ id, trackId: id as TrackId }));

describe('the longest increasing part', () => {
  test.each([
    [[], 0],
    [[5], 1],
    [[1, 2, 3], 3],
    [[3, 2, 1], 1],
    [[2, 3, 1], 2],
    [[1, 9, 2, 8, 3, 7, 4], 4],
  ] as const)('of %j has %i', (values, length) => {
    expect(longestRising(values).size).toBe(length);
  });

  test('increases, and no other is longer', () => {
    const longest = (values: number[]): number => {
      const best = values.map(() => 1);
      values.forEach((value, index) =>
        values.slice(0, index).forEach((before, n) => {
          if (before < value) best[index] = Math.max(best[index] as number, (best[n] as number) + 1);
        }),
      );
      return Math.max(0, ...best);
    };
    for (let n = 0; n < 100; n++) {
      const values = shuffled(n % 12);
      const part = [...longestRising(values)].toSorted((a, b) => a - b).map((at) => values[at] as number);
      expect(part).toEqual(part.toSorted((a, b) => a - b));
      expect(part.length).toBe(longest(values));
    }
  });
});

describe('a plan', () => {
  test('moves one entry when one was dragged', () => {
    const { removed, runs } = planList([1, 2, 3, 4, 5], wanted([1, 4, 2, 3, 5]));
    expect(removed).toEqual([]);
    expect(runs).toEqual([{ before: 1, after: 2, entries: wanted([4]) }]);
  });

  test('results in the wanted list', () => {
    for (let n = 0; n < 200; n++) {
      const current = shuffled(8);
      const ids =
        n % 3 === 0
          ? [...current.slice(0, 3), ...shuffled(12).slice(8), ...current.slice(5)].filter(
              (id, index, all) => all.indexOf(id) === index,
            )
          : shuffled(12).slice(0, n % 12);
      const { removed, runs } = planList(current, wanted(ids));
      const positions = new Map(current.map((id, index) => [id, index * GAP]));
      const placed = new Map([...positions].filter(([id]) => !removed.includes(id)));
      for (const { before, after, entries } of runs) {
        const places = placesBetween(
          before === undefined ? undefined : positions.get(before),
          after === undefined ? undefined : positions.get(after),
          entries.length,
        ) as number[];
        entries.forEach(({ id }, at) => placed.set(id, places[at] as number));
      }
      expect([...placed].toSorted((a, b) => a[1] - b[1]).map(([id]) => id)).toEqual(ids);
    }
  });
});

test('a replaced list keeps the entries of tracks that stay, in their order', () => {
  const current = [
    [1, 7],
    [2, 8],
    [3, 7],
  ].map(([id, trackId]) => ({ id: id as number, trackId: trackId as TrackId }));
  expect(reuseEntries(current, [7, 9, 7, 7] as TrackId[]).map(({ id }) => id)).toEqual([1, undefined, 3, undefined]);
});

describe('positions', () => {
  test.each([
    [undefined, undefined, 2, [GAP, 2 * GAP]],
    [10, undefined, 2, [10 + GAP, 10 + 2 * GAP]],
    [undefined, 10, 2, [10 - 2 * GAP, 10 - GAP]],
    [0, 12, 3, [3, 6, 9]],
    [0, 4, 3, [1, 2, 3]],
    [0, 3, 3, undefined],
    [5, 6, 1, undefined],
    [Number.MAX_SAFE_INTEGER - 1, undefined, 1, undefined],
  ])('after %s, before %s, for %i: %j', (before, after, count, places) => {
    expect(placesBetween(before, after, count)).toEqual(places);
  });
});
