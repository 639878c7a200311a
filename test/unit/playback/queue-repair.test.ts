import { expect, test } from 'vitest';
import { repairQueue } from '../../../server/playback/queue-repair.ts';

test.each([
  { gone: [], place: [2, 9], after: [[1, 2, 3, 4], 2, 9] },
  { gone: [1], place: [2, 9], after: [[2, 3, 4], 1, 9] },
  { gone: [4], place: [2, 9], after: [[1, 2, 3], 2, 9] },
  { gone: [3], place: [2, 9], after: [[1, 2, 4], 2, 0] },
  { gone: [4], place: [3, 9], after: [[1, 2, 3], 2, 0] },
  { gone: [1, 2, 3, 4], place: [2, 9], after: [[], 0, 0] },
  { gone: [1, 3], place: [3, 9], after: [[2, 4], 1, 9] },
])(
  'without $gone the place $place becomes $after',
  ({ gone, place: [currentIndex = 0, positionMs = 0], after: [trackIds, index, position] }) => {
    expect(repairQueue([1, 2, 3, 4], (id) => !gone.includes(id as never), { currentIndex, positionMs })).toEqual({
      trackIds,
      currentIndex: index,
      positionMs: position,
    });
  },
);
