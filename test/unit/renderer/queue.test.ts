import { expect, test } from 'vitest';
import { following, moved, removed, reorder, shuffled } from '../../../renderer/player/queue.ts';
import type { QueueEntry, QueueTrack } from '../../../renderer/player/types.ts';
import { seededRandom } from '../../support/random.ts';

const entry = (key: number, artist: number | null = key): QueueEntry => ({
  key,
  order: key,
  track: { id: key, artist_id: artist } as QueueTrack,
});
const queueOf = (length: number) => Array.from({ length }, (_, i) => entry(i + 1));
const keys = (entries: readonly QueueEntry[]) => entries.map(({ key }) => key);
const inARow = (entries: readonly QueueEntry[]) =>
  entries.filter(
    ({ track }, i) => i > 0 && track.artist_id !== null && track.artist_id === entries[i - 1]?.track.artist_id,
  ).length;

/** Fewest neighbours of one artist that any order has. */
function fewest(entries: readonly QueueEntry[]): number {
  const counts = Object.values(Object.groupBy(entries, ({ track }) => String(track.artist_id))).map(
    (group) => group?.length ?? 0,
  );
  const most = Math.max(...counts);
  return Math.max(0, most - (entries.length - most) - 1);
}

test('shuffling keeps every entry, once', () => {
  const before = queueOf(100);
  const after = shuffled(before, seededRandom(1));
  expect(keys(after)).not.toEqual(keys(before));
  expect(keys(after).toSorted((a, b) => a - b)).toEqual(keys(before));
});

test.each([
  { name: 'two artists, half each', artists: [5, 5] },
  { name: 'one with more than the others together', artists: [7, 2, 2] },
  { name: 'one with far too many', artists: [12, 3] },
  { name: 'one artist', artists: [6] },
  { name: 'many', artists: [9, 7, 5, 3, 3, 1, 1] },
  { name: 'a short one', artists: [2, 1] },
])('the same artist never plays twice in a row where it can be avoided: $name', ({ artists }) => {
  const entries = artists
    .flatMap((count, artist) => Array.from({ length: count }, () => artist))
    .map((artist, i) => entry(i + 1, artist));
  for (let seed = 0; seed < 200; seed += 1) expect(inARow(shuffled(entries, seededRandom(seed)))).toBe(fewest(entries));
});

test('what is shuffled begins with another artist than the one that plays', () => {
  const rest = [entry(1, 7), entry(2, 7), entry(3, 8), entry(4, 9)];
  for (let seed = 0; seed < 100; seed += 1) {
    const after = shuffled(rest, seededRandom(seed), entry(9, 7));
    expect(inARow([entry(9, 7), ...after])).toBe(0);
  }
});

test('all orders come up', () => {
  const seen = new Set(Array.from({ length: 300 }, (_, seed) => keys(shuffled(queueOf(3), seededRandom(seed))).join()));
  expect(seen.size).toBe(6);
});

test('shuffle off puts everything back, and the current one plays on', () => {
  const queue = queueOf(20);
  const on = reorder({ queue, index: 4 }, true, seededRandom(3));
  expect(on.queue[on.index]?.key).toBe(5);
  const off = reorder(on, false, seededRandom(3));
  expect(keys(off.queue)).toEqual(keys(queue));
  expect(off.index).toBe(4);
});

test.each([
  { key: 1, to: 2, order: [2, 3, 1, 4], index: 0 },
  { key: 4, to: 0, order: [4, 1, 2, 3], index: 2 },
  { key: 2, to: 3, order: [1, 3, 4, 2], index: 3 },
  { key: 3, to: 99, order: [1, 2, 4, 3], index: 1 },
  { key: 9, to: 0, order: [1, 2, 3, 4], index: 1 },
])('moving $key to $to leaves the current one current', ({ key, to, order, index }) => {
  const after = moved({ queue: queueOf(4), index: 1 }, key, to);
  expect({ order: keys(after.queue), index: after.index }).toEqual({ order, index });
});

test.each([
  { key: 1, order: [2, 3], index: 0 },
  { key: 2, order: [1, 3], index: 1 },
  { key: 3, order: [1, 2], index: 1 },
  { key: 9, order: [1, 2, 3], index: 1 },
])('removing $key', ({ key, order, index }) => {
  const after = removed({ queue: queueOf(3), index: 1 }, key);
  expect({ order: keys(after.queue), index: after.index }).toEqual({ order, index });
});

test('removing the last entry of all leaves nothing current', () => {
  expect(removed({ queue: queueOf(1), index: 0 }, 1)).toEqual({ queue: [], index: -1 });
});

test.each([
  { at: 0, repeat: 'off', bySelf: true, next: 1 },
  { at: 2, repeat: 'off', bySelf: true, next: -1 },
  { at: 2, repeat: 'all', bySelf: true, next: 0 },
  { at: 1, repeat: 'one', bySelf: true, next: 1 },
  { at: 1, repeat: 'one', bySelf: false, next: 2 },
  { at: 2, repeat: 'one', bySelf: false, next: 0 },
] as const)('after $at with repeat $repeat comes $next (by itself: $bySelf)', ({ at, repeat, bySelf, next }) => {
  expect(following({ queue: queueOf(3), index: at }, repeat, bySelf)).toBe(next);
});
