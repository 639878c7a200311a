import { describe, expect, test } from 'vitest';
import type { TrackId } from '../../../server/db/ids.ts';
import { longestRising, planList, reuseEntries } from '../../../server/playlists/list-plan.ts';
import { GAP, placesBetween } from '../../../server/playlists/positions.ts';
import { seededRandom } from '../../support/test-random.ts';

const random = seededRandom(2);
const shuffleIds = (length: number): number[] =>
  Array.from({ length }, (_, i) => [i, random()] as const)
    .toSorted((a, b) => a[1] - b[1])
    .map(([i]) => i);
const toEntries = (ids: readonly number[]) => ids.map((id) => ({ id, trackId: id as TrackId }));

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
    const measureLongest = (values: number[]): number => {
      const lengths = values.map(() => 1);
      values.forEach((value, index) =>
        values.slice(0, index).forEach((earlierValue, n) => {
          if (earlierValue < value) lengths[index] = Math.max(lengths[index] as number, (lengths[n] as number) + 1);
        }),
      );
      return Math.max(0, ...lengths);
    };
    for (let n = 0; n < 100; n++) {
      const values = shuffleIds(n % 12);
      const risingPart = [...longestRising(values)].toSorted((a, b) => a - b).map((at) => values[at] as number);
      expect(risingPart).toEqual(risingPart.toSorted((a, b) => a - b));
      expect(risingPart.length).toBe(measureLongest(values));
    }
  });
});

describe('a plan', () => {
  test('moves one entry when one was dragged', () => {
    const { removedIds: removed, runs } = planList([1, 2, 3, 4, 5], toEntries([1, 4, 2, 3, 5]));
    expect(removed).toEqual([]);
    expect(runs).toEqual([{ before: 1, after: 2, entries: toEntries([4]) }]);
  });

  test('results in the wanted list', () => {
    for (let n = 0; n < 200; n++) {
      const currentIds = shuffleIds(8);
      const ids =
        n % 3 === 0
          ? [...currentIds.slice(0, 3), ...shuffleIds(12).slice(8), ...currentIds.slice(5)].filter(
              (id, index, all) => all.indexOf(id) === index,
            )
          : shuffleIds(12).slice(0, n % 12);
      const { removedIds: removed, runs } = planList(currentIds, toEntries(ids));
      const positions = new Map(currentIds.map((id, index) => [id, index * GAP]));
      const finalPositions = new Map([...positions].filter(([id]) => !removed.includes(id)));
      for (const { before, after, entries } of runs) {
        const places = placesBetween(
          before === undefined ? undefined : positions.get(before),
          after === undefined ? undefined : positions.get(after),
          entries.length,
        ) as number[];
        entries.forEach(({ id }, entryIndex) => finalPositions.set(id, places[entryIndex] as number));
      }
      expect([...finalPositions].toSorted((a, b) => a[1] - b[1]).map(([id]) => id)).toEqual(ids);
    }
  });
});

test('a replaced list keeps the entries of tracks that stay, in their order', () => {
  const currentEntries = [
    [1, 7],
    [2, 8],
    [3, 7],
  ].map(([id, trackId]) => ({ id: id as number, trackId: trackId as TrackId }));
  expect(reuseEntries(currentEntries, [7, 9, 7, 7] as TrackId[]).map(({ id }) => id)).toEqual([
    1,
    undefined,
    3,
    undefined,
  ]);
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
  ])('after %s, before %s, for %i: %j', (previous, following, count, places) => {
    expect(placesBetween(previous, following, count)).toEqual(places);
  });
});
