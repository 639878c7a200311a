import { expect, test } from 'vitest';
import { shuffleItems } from '../../../server/playback/shuffle.ts';
import { seededRandom } from '../../support/test-random.ts';

interface Item {
  key: number;
  artist: number | null;
}
const item = (key: number, artist: number | null = key): Item => ({ key, artist });
const makeItems = (length: number) => Array.from({ length }, (_, i) => item(i + 1));
const keys = (items: readonly Item[]) => items.map(({ key }) => key);
const shuffle = (items: readonly Item[], random: () => number, current?: Item) =>
  shuffleItems(items, ({ artist }) => artist, random, current);
const countRepeats = (items: readonly Item[]) =>
  items.filter(({ artist }, i) => i > 0 && artist !== null && artist === items[i - 1]?.artist).length;

/** Returns the lowest possible number of neighbours with the same artist. */
function countFewestRepeats(items: readonly Item[]): number {
  const counts = Object.values(Object.groupBy(items, ({ artist }) => String(artist))).map(
    (group) => group?.length ?? 0,
  );
  const maxCount = Math.max(...counts);
  return Math.max(0, maxCount - (items.length - maxCount) - 1);
}

test('shuffling keeps every entry once', () => {
  const items = makeItems(100);
  const shuffledItems = shuffle(items, seededRandom(1));
  expect(keys(shuffledItems)).not.toEqual(keys(items));
  expect(keys(shuffledItems).toSorted((a, b) => a - b)).toEqual(keys(items));
});

test.each([
  { name: 'two artists, half each', artists: [5, 5] },
  { name: 'one with more than the others together', artists: [7, 2, 2] },
  { name: 'one with far too many', artists: [12, 3] },
  { name: 'one artist', artists: [6] },
  { name: 'many', artists: [9, 7, 5, 3, 3, 1, 1] },
  { name: 'a short one', artists: [2, 1] },
])('the same artist never plays twice in a row if avoidable: $name', ({ artists }) => {
  const items = artists
    .flatMap((count, artist) => Array.from({ length: count }, () => artist))
    .map((artist, i) => item(i + 1, artist));
  for (let seed = 0; seed < 200; seed += 1)
    expect(countRepeats(shuffle(items, seededRandom(seed)))).toBe(countFewestRepeats(items));
});

test('a shuffled queue starts with another artist than the current one', () => {
  const waitingItems = [item(1, 7), item(2, 7), item(3, 8), item(4, 9)];
  for (let seed = 0; seed < 100; seed += 1) {
    const shuffledItems = shuffle(waitingItems, seededRandom(seed), item(9, 7));
    expect(countRepeats([item(9, 7), ...shuffledItems])).toBe(0);
  }
});

test('all orders occur', () => {
  const orders = new Set(
    Array.from({ length: 300 }, (_, seed) => keys(shuffle(makeItems(3), seededRandom(seed))).join()),
  );
  expect(orders.size).toBe(6);
});
