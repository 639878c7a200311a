import { expect, test } from 'vitest';
import { seededOrder } from '../../../server/library/lists/seeded-order.ts';

test.each([
  [1, 1],
  [7, 5],
  [42, 1_000],
  [2 ** 32 - 1, 5_000],
  [2 ** 40, 300],
  [-3, 77],
])('seed %d gives every id up to %d a unique position, and back', (seed, maxId) => {
  const order = seededOrder(seed, maxId);
  expect(order.size).toBeGreaterThan(maxId);
  const ids = Array.from({ length: order.size }, (_, place) => order.idAt(place));
  expect(new Set(ids).size).toBe(order.size);
  expect(Math.max(...ids)).toBe(order.size - 1);
  expect(ids.every((id, place) => order.placeOf(id) === place)).toBe(true);
});

test('other seeds have other orders', () => {
  const listFirstIds = (seed: number) =>
    Array.from({ length: 20 }, (_, place) => seededOrder(seed, 10_000).idAt(place)).join();
  expect(new Set([0, 1, 2, 3, 2 ** 32, 2 ** 33].map(listFirstIds)).size).toBe(6);
});

test('every part of the library comes first about equally often', () => {
  const quarters = [0, 0, 0, 0];
  for (let seed = 0; seed < 400; seed++) {
    const order = seededOrder(seed, 4 ** 6 - 1);
    for (let place = 0; place < 50; place++) quarters[Math.floor(order.idAt(place) / 1024)]! += 1;
  }
  for (const count of quarters) expect(count / 20_000).toBeCloseTo(0.25, 1);
});
