import { expect, test } from 'vitest';
import { following, moveEntry, removeEntry, reorder, reorderUpcoming } from '../../../renderer/player/play-order.ts';
import type { QueueEntry, QueueTrack } from '../../../renderer/player/player.ts';
import { seededRandom } from '../../support/test-random.ts';

const entry = (key: number): QueueEntry => ({
  key,
  order: key,
  track: { id: key, artist_id: key } as QueueTrack,
});
const makeQueue = (length: number) => Array.from({ length }, (_, i) => entry(i + 1));
const keys = (entries: readonly QueueEntry[]) => entries.map(({ key }) => key);

test('shuffle off restores the order, and the current one plays on', () => {
  const queue = makeQueue(20);
  const shuffledState = reorder({ queue, index: 4 }, true, seededRandom(3));
  expect(shuffledState.queue[shuffledState.index]?.key).toBe(5);
  const restoredState = reorder(shuffledState, false, seededRandom(3));
  expect(keys(restoredState.queue)).toEqual(keys(queue));
  expect(restoredState.index).toBe(4);
});

test('what a radio has played does not come again when what follows is shuffled', () => {
  const queue = makeQueue(20);
  const shuffledState = reorderUpcoming({ queue, index: 4 }, true, seededRandom(3));
  expect([keys(shuffledState.queue.slice(0, 5)), shuffledState.index]).toEqual([[1, 2, 3, 4, 5], 4]);
  expect(keys(shuffledState.queue)).not.toEqual(keys(queue));
  const restoredState = reorderUpcoming(shuffledState, false, seededRandom(3));
  expect([keys(restoredState.queue), restoredState.index]).toEqual([keys(queue), 4]);
});

test.each([
  { key: 1, to: 2, order: [2, 3, 1, 4], index: 0 },
  { key: 4, to: 0, order: [4, 1, 2, 3], index: 2 },
  { key: 2, to: 3, order: [1, 3, 4, 2], index: 3 },
  { key: 3, to: 99, order: [1, 2, 4, 3], index: 1 },
  { key: 9, to: 0, order: [1, 2, 3, 4], index: 1 },
])('moving $key to $to keeps the current one', ({ key, to: targetIndex, order, index }) => {
  const changedOrder = moveEntry({ queue: makeQueue(4), index: 1 }, key, targetIndex);
  expect({ order: keys(changedOrder.queue), index: changedOrder.index }).toEqual({ order, index });
});

test.each([
  { key: 1, order: [2, 3], index: 0 },
  { key: 2, order: [1, 3], index: 1 },
  { key: 3, order: [1, 2], index: 1 },
  { key: 9, order: [1, 2, 3], index: 1 },
])('removing $key', ({ key, order, index }) => {
  const changedOrder = removeEntry({ queue: makeQueue(3), index: 1 }, key);
  expect({ order: keys(changedOrder.queue), index: changedOrder.index }).toEqual({ order, index });
});

test('removing the only entry leaves nothing current', () => {
  expect(removeEntry({ queue: makeQueue(1), index: 0 }, 1)).toEqual({ queue: [], index: -1 });
});

test.each([
  { at: 0, repeat: 'off', bySelf: true, next: 1 },
  { at: 2, repeat: 'off', bySelf: true, next: -1 },
  { at: 2, repeat: 'all', bySelf: true, next: 0 },
  { at: 1, repeat: 'one', bySelf: true, next: 1 },
  { at: 1, repeat: 'one', bySelf: false, next: 2 },
  { at: 2, repeat: 'one', bySelf: false, next: 0 },
] as const)('$next follows $at with repeat $repeat (automatically: $bySelf)', ({ at, repeat, bySelf, next }) => {
  expect(following({ queue: makeQueue(3), index: at }, repeat, bySelf)).toBe(next);
});
