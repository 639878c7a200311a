import { describe, expect, test } from 'vitest';
import {
  elementHeight,
  follow,
  hasDrifted,
  placeToShow,
  rowsIn,
  slotsFor,
  toElement,
  toList,
} from '../../../renderer/ui/lists/scaled-scroll.ts';

const ROW_PX = 48;
const SHORT_LIST_PX = 5_000 * ROW_PX;
const LONG_LIST_PX = 1_000_000 * ROW_PX;
const WINDOW_PX = 800;

test('a list that fits into an element is not scaled', () => {
  expect(elementHeight(SHORT_LIST_PX)).toBe(SHORT_LIST_PX);
  for (const scrollTop of [0, 1, 12_345, SHORT_LIST_PX]) {
    expect(toList(scrollTop, SHORT_LIST_PX)).toBe(scrollTop);
    expect(toElement(scrollTop, SHORT_LIST_PX)).toBe(scrollTop);
  }
});

describe('a million rows', () => {
  const height = elementHeight(LONG_LIST_PX);

  test('fit into an element that every browser can draw', () => {
    expect(height).toBeLessThan(17_000_000);
    expect(height).toBeGreaterThan(1_000_000);
  });

  test('can all be reached with the scroll bar, and the ends are exact', () => {
    expect(toList(0, LONG_LIST_PX)).toBe(0);
    expect(toList(700, LONG_LIST_PX)).toBe(700);
    expect(toList(height - WINDOW_PX, LONG_LIST_PX)).toBe(LONG_LIST_PX - WINDOW_PX);
    expect(toList(height, LONG_LIST_PX)).toBe(LONG_LIST_PX);
  });

  test('are in order, and there and back is the same position', () => {
    let previousPosition = -1;
    for (let scrollTop = 0; scrollTop <= height; scrollTop += 97_531) {
      const position = toList(scrollTop, LONG_LIST_PX);
      expect(position).toBeGreaterThan(previousPosition);
      expect(toElement(position, LONG_LIST_PX)).toBeCloseTo(scrollTop, 4);
      previousPosition = position;
    }
  });

  test('move by exactly the pixels of the wheel or key', () => {
    const middlePlace = { element: toElement(LONG_LIST_PX / 2, LONG_LIST_PX), list: LONG_LIST_PX / 2 };
    const lowerPlace = follow(middlePlace, middlePlace.element + 120, LONG_LIST_PX, false);
    expect(lowerPlace.list).toBe(LONG_LIST_PX / 2 + 120);
    const returnedPlace = follow(lowerPlace, lowerPlace.element - 120, LONG_LIST_PX, false);
    expect(returnedPlace.list).toBe(LONG_LIST_PX / 2);
  });

  test('follow the scroll bar after a jump', () => {
    const place = follow({ element: 0, list: 0 }, 4_000_000, LONG_LIST_PX, false);
    expect(place.list).toBe(toList(4_000_000, LONG_LIST_PX));
    expect(hasDrifted(place, LONG_LIST_PX)).toBe(false);
  });

  test('start and end at the ends, however they were reached', () => {
    const driftedPlace = { element: 2_000, list: 9_000 };
    expect(follow(driftedPlace, 0, LONG_LIST_PX, false).list).toBe(0);
    const placeNearEnd = { element: height - WINDOW_PX - 400, list: LONG_LIST_PX - 9_000 };
    expect(follow(placeNearEnd, height - WINDOW_PX, LONG_LIST_PX, true).list).toBe(LONG_LIST_PX - WINDOW_PX);
  });

  test('detect that the scroll bar has drifted after many small steps', () => {
    let place = { element: toElement(LONG_LIST_PX / 2, LONG_LIST_PX), list: LONG_LIST_PX / 2 };
    for (let i = 0; i < 100; i += 1) place = follow(place, place.element + 500, LONG_LIST_PX, false);
    expect(place.list).toBe(LONG_LIST_PX / 2 + 50_000);
    expect(hasDrifted(place, LONG_LIST_PX)).toBe(true);
    expect(hasDrifted({ element: toElement(place.list, LONG_LIST_PX), list: place.list }, LONG_LIST_PX)).toBe(false);
  });
});

test.each([
  ['at the top', 0, 1_000, { first: 0, last: 24 }],
  ['in the middle', 480, 1_000, { first: 2, last: 34 }],
  ['at the end', 1_000 * ROW_PX - 800, 1_000, { first: 975, last: 999 }],
  ['above the list, whose beginning is in sight', -300, 1_000, { first: 0, last: 18 }],
  ['of a list without rows', 0, 0, { first: 0, last: -1 }],
])('rows in the window %s', (_, top, count, expected) => {
  expect(rowsIn(top, WINDOW_PX, ROW_PX, count, 8)).toEqual(expected);
});

test.each([
  ['in sight', 3, 0, undefined],
  ['above', 3, 480, 3 * ROW_PX - 36],
  ['under what covers the top', 10, 480, 10 * ROW_PX - 36],
  ['below', 30, 0, 31 * ROW_PX - WINDOW_PX],
])('a row %s is scrolled into view by the shortest distance', (_, row, top, expected) => {
  expect(placeToShow(row, ROW_PX, top, WINDOW_PX, 36)).toBe(expected);
});

test('a row keeps its element while it is in the window, and rows that enter take over those of rows that left', () => {
  const listRows = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const firstSlots = slotsFor(listRows(0, 9), new Map());
  const furtherSlots = slotsFor([0, ...listRows(5, 14)], firstSlots);
  expect(new Set(furtherSlots.values()).size).toBe(11);
  for (const row of [0, 5, 9]) expect(furtherSlots.get(row)).toBe(firstSlots.get(row));
  // one more row enters and keeps its element, and the window shows more rows
  const moreSlots = slotsFor(listRows(5, 30), furtherSlots);
  for (const row of listRows(5, 14)) expect(moreSlots.get(row)).toBe(furtherSlots.get(row));
  expect(new Set(moreSlots.values()).size).toBe(26);
  const distantSlots = slotsFor(listRows(500, 525), moreSlots);
  expect([...distantSlots.values()]).toEqual([...moreSlots.values()]);
});
