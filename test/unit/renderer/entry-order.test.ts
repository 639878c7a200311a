import { describe, expect, test } from 'vitest';
import { movedEntries, stepTarget, withoutEntries } from '../../../renderer/api/playlist-order.ts';

const entries = (...ids: (number | undefined)[]) => ids.map((id) => (id === undefined ? undefined : { entry_id: id }));

describe('moving entries', () => {
  test.each([
    ['one up', [1, 2, 3, 4], [3], 1, [3, 1, 2, 4]],
    ['one to the end', [1, 2, 3, 4], [2], null, [1, 3, 4, 2]],
    ['several together, in the order of the list', [1, 2, 3, 4, 5], [5, 2], 1, [2, 5, 1, 3, 4]],
    ['in front of one that goes too', [1, 2, 3, 4], [1, 3, 4], 1, [1, 3, 4, 2]],
    ['in front of what is not there changes nothing', [1, 2, 3], [1], 9, [1, 2, 3]],
    ['what is not there moves nothing', [1, 2, 3], [9], 1, [1, 2, 3]],
    ['rows that are not here keep their number', [1, undefined, undefined, 4], [4], 1, [4, 1, undefined, undefined]],
  ] as const)('%s', (_, before, ids, target, after) => {
    const isGoing = ({ entry_id }: { entry_id: number }) => (ids as readonly number[]).includes(entry_id);
    expect(movedEntries(entries(...before), isGoing, target)).toEqual(entries(...after));
  });
});

test('removed entries leave no gap', () => {
  expect(withoutEntries(entries(1, 2, undefined, 3), ({ entry_id }) => entry_id > 1)).toEqual(entries(1, undefined));
});

test.each([
  ['up', [2], -1, 5, { beforeIndex: 1 }],
  ['up from the top', [0], -1, 5, undefined],
  ['down', [2], 1, 5, { beforeIndex: 4 }],
  ['down to the last place', [3], 1, 5, { beforeIndex: null }],
  ['down from the end', [4], 1, 5, undefined],
  ['several down', [1, 2], 1, 5, { beforeIndex: 4 }],
] as const)('one step %s', (_, chosenIndex, step, count, target) => {
  expect(stepTarget(chosenIndex, step, count)).toEqual(target);
});
