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

const ROW = 48;
const SHORT = 5_000 * ROW;
const LONG = 1_000_000 * ROW;
const WINDOW = 800;

test('a list that fits into an element is not scaled', () => {
  expect(elementHeight(SHORT)).toBe(SHORT);
  for (const at of [0, 1, 12_345, SHORT]) {
    expect(toList(at, SHORT)).toBe(at);
    expect(toElement(at, SHORT)).toBe(at);
  }
});

describe('a million rows', () => {
  const height = elementHeight(LONG);

  test('fit into an element that every browser can draw', () => {
    expect(height).toBeLessThan(17_000_000);
    expect(height).toBeGreaterThan(1_000_000);
  });

  test('can all be reached with the scroll bar, and the ends are exact', () => {
    expect(toList(0, LONG)).toBe(0);
    expect(toList(700, LONG)).toBe(700);
    expect(toList(height - WINDOW, LONG)).toBe(LONG - WINDOW);
    expect(toList(height, LONG)).toBe(LONG);
  });

  test('are in order, and there and back is the same position', () => {
    let before = -1;
    for (let scrollTop = 0; scrollTop <= height; scrollTop += 97_531) {
      const list = toList(scrollTop, LONG);
      expect(list).toBeGreaterThan(before);
      expect(toElement(list, LONG)).toBeCloseTo(scrollTop, 4);
      before = list;
    }
  });

  test('move by exactly the pixels of the wheel or key', () => {
    const middle = { element: toElement(LONG / 2, LONG), list: LONG / 2 };
    const down = follow(middle, middle.element + 120, LONG, false);
    expect(down.list).toBe(LONG / 2 + 120);
    const up = follow(down, down.element - 120, LONG, false);
    expect(up.list).toBe(LONG / 2);
  });

  test('follow the scroll bar after a jump', () => {
    const at = follow({ element: 0, list: 0 }, 4_000_000, LONG, false);
    expect(at.list).toBe(toList(4_000_000, LONG));
    expect(hasDrifted(at, LONG)).toBe(false);
  });

  test('start and end at the ends, however they were reached', () => {
    const drifted = { element: 2_000, list: 9_000 };
    expect(follow(drifted, 0, LONG, false).list).toBe(0);
    const atEnd = { element: height - WINDOW - 400, list: LONG - 9_000 };
    expect(follow(atEnd, height - WINDOW, LONG, true).list).toBe(LONG - WINDOW);
  });

  test('detect that the scroll bar has drifted after many small steps', () => {
    let place = { element: toElement(LONG / 2, LONG), list: LONG / 2 };
    for (let i = 0; i < 100; i += 1) place = follow(place, place.element + 500, LONG, false);
    expect(place.list).toBe(LONG / 2 + 50_000);
    expect(hasDrifted(place, LONG)).toBe(true);
    expect(hasDrifted({ element: toElement(place.list, LONG), list: place.list }, LONG)).toBe(false);
  });
});

test.each([
  ['at the top', 0, 1_000, { first: 0, last: 24 }],
  ['in the middle', 480, 1_000, { first: 2, last: 34 }],
  ['at the end', 1_000 * ROW - 800, 1_000, { first: 975, last: 999 }],
  ['above the list, whose beginning is in sight', -300, 1_000, { first: 0, last: 18 }],
  ['of a list without rows', 0, 0, { first: 0, last: -1 }],
])('rows in the window %s', (_, top, count, expected) => {
  expect(rowsIn(top, WINDOW, ROW, count, 8)).toEqual(expected);
});

test.each([
  ['in sight', 3, 0, undefined],
  ['above', 3, 480, 3 * ROW - 36],
  ['under what covers the top', 10, 480, 10 * ROW - 36],
  ['below', 30, 0, 31 * ROW - WINDOW],
])('a row %s is scrolled into view by the shortest distance', (_, row, top, expected) => {
  expect(placeToShow(row, ROW, top, WINDOW, 36)).toBe(expected);
});

test('a row keeps its element while it is in the window, and rows that enter take over those of rows that left', () => {
  const rows = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const top = slotsFor(rows(0, 9), new Map());
  const further = slotsFor([0, ...rows(5, 14)], top);
  expect(new Set(further.values()).size).toBe(11);
  for (const row of [0, 5, 9]) expect(further.get(row)).toBe(top.get(row));
  // another row is kept, and the window shows more rows
  const higher = slotsFor(rows(5, 30), further);
  for (const row of rows(5, 14)) expect(higher.get(row)).toBe(further.get(row));
  expect(new Set(higher.values()).size).toBe(26);
  const far = slotsFor(rows(500, 525), higher);
  expect([...far.values()]).toEqual([...higher.values()]);
});
