// Browsers refuse elements higher than some ten million pixels, and a million rows are higher. So a long list gets a
// lower element, and its middle is pressed together: both ends stay one to one, the scroll bar reaches every row, and a
// wheel, a key or a finger still moves by exactly the pixels it asks for. Pure; use-row-window.ts does the scrolling.

/** The height an element may have; Firefox gives up at 17.8 million pixels. */
const MOST_HEIGHT = 8_000_000;
/** At each end this much is one to one, far more than anyone scrolls without letting go. */
const EDGE = 1_000_000;
/** A step longer than this is the scroll bar's, or Home and End. */
const LEAP = 6_000;

/** Where the scroller stands on the element, and where that is in the list; both in pixels from the top. */
export interface Place {
  element: number;
  list: number;
}

export const elementHeight = (listHeight: number): number => Math.min(listHeight, MOST_HEIGHT);

/** How many pixels of the list one pixel of the element stands for, away from the ends. */
const pressure = (listHeight: number): number => (listHeight - 2 * EDGE) / (MOST_HEIGHT - 2 * EDGE);

export function toList(element: number, listHeight: number): number {
  if (listHeight <= MOST_HEIGHT || element <= EDGE) return element;
  if (element >= MOST_HEIGHT - EDGE) return listHeight - (MOST_HEIGHT - element);
  return EDGE + (element - EDGE) * pressure(listHeight);
}

export function toElement(list: number, listHeight: number): number {
  if (listHeight <= MOST_HEIGHT || list <= EDGE) return list;
  if (list >= listHeight - EDGE) return MOST_HEIGHT - (listHeight - list);
  return EDGE + (list - EDGE) / pressure(listHeight);
}

/**
 * Where the list is after the scroller went to `element`: as far on as it went, or where the scroll bar points after a
 * leap and at the ends.
 */
export function follow(from: Place, element: number, listHeight: number, isAtEnd: boolean): Place {
  const step = element - from.element;
  const isExact = Math.abs(step) <= LEAP && element > 0 && !isAtEnd;
  return { element, list: isExact ? from.list + step : toList(element, listHeight) };
}

/** True when the scroll bar does not show where the list is, which a moment of rest puts right. */
export const hasDrifted = ({ element, list }: Place, listHeight: number): boolean =>
  Math.abs(toElement(list, listHeight) - element) >= 1;

export interface RowRange {
  first: number;
  last: number;
}

/** Rows that touch the window from `top` on, `overscan` more at either side; empty when there are none. */
export function rowsIn(top: number, height: number, rowHeight: number, count: number, overscan: number): RowRange {
  const first = Math.floor(top / rowHeight) - overscan;
  const last = Math.ceil((top + height) / rowHeight) - 1 + overscan;
  return { first: Math.min(Math.max(0, first), Math.max(0, count - 1)), last: Math.min(count - 1, Math.max(last, -1)) };
}

/**
 * How the list has to stand so that a row is wholly in sight; undefined when it is. `head` is covered by what stays at
 * the top.
 */
export function placeToShow(
  row: number,
  rowHeight: number,
  top: number,
  height: number,
  head: number,
): number | undefined {
  const start = row * rowHeight - head;
  if (start < top) return start;
  const end = (row + 1) * rowHeight - height;
  return end > top ? end : undefined;
}
