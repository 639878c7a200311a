// Tests which pages of a long list are fetched.
import { expect, test } from 'vitest';
import { nearestFirst, pagesOf, directionTo, type View } from '../../../renderer/api/pages-ahead.ts';

const ROW_COUNT = 1_000_000;
/** Returns a view of 15 rows with 8 more on either side. */
const viewAt = (first: number, changes: Partial<View> = {}): View => ({
  first,
  last: first + 30,
  keptRow: first,
  wide: true,
  direction: 0,
  ...changes,
});

test.each<[string, View, { first: number; last: number }]>([
  ['those on screen while the scroll bar flies', viewAt(500_000, { wide: false }), { first: 2_500, last: 2_500 }],
  ['some on either side after a jump', viewAt(500_000), { first: 2_498, last: 2_501 }],
  [
    'more than a second of a held page key on the way down',
    viewAt(500_000, { direction: 1 }),
    { first: 2_499, last: 2_503 },
  ],
  ['and on the way up', viewAt(500_000, { direction: -1 }), { first: 2_497, last: 2_500 }],
  ['none beyond the start', viewAt(0, { direction: -1 }), { first: 0, last: 0 }],
  ['none beyond the end', viewAt(ROW_COUNT - 31, { direction: 1 }), { first: 4_999, last: 4_999 }],
  [
    'three for a screen that is very large',
    { ...viewAt(500_000, { direction: 1 }), last: 500_400 },
    { first: 2_499, last: 2_505 },
  ],
])('pages are fetched: %s', (_, view, pages) => {
  expect(pagesOf(view, ROW_COUNT)).toEqual(pages);
});

test('on the way up the page above is asked for first, not the furthest', () => {
  expect(nearestFirst({ first: 10, last: 14 }, { first: 13, last: 13 })).toEqual([13, 12, 14, 11, 10]);
});

test('a list goes on in its direction while its first row stays', () => {
  expect([
    directionTo(20, viewAt(10)),
    directionTo(5, viewAt(10, { direction: 1 })),
    directionTo(10, viewAt(10, { direction: -1 })),
  ]).toEqual([1, -1, -1]);
});
