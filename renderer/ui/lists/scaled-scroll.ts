// Browsers limit the height of elements to some ten million pixels, and a million rows are higher. So a long list gets
// a lower element with a compressed middle: both ends are uncompressed, the scroll bar reaches every row, and wheel,
// keys and touch still scroll by the exact number of pixels. Pure; use-row-window.ts does the scrolling.

/** The maximum height of an element; Firefox's limit is 17.8 million pixels. */
const MAX_HEIGHT_PX = 8_000_000;
/** Height of the uncompressed part at each end, far more than a user scrolls in one gesture. */
const EDGE_PX = 1_000_000;
/** Longer steps come from the scroll bar, or from Home and End. */
const LEAP_PX = 6_000;

/** Position in the element and in the list, in pixels from the top. */
export interface Place {
  element: number;
  list: number;
}

export const elementHeight = (listHeight: number): number => Math.min(listHeight, MAX_HEIGHT_PX);

/** Returns the list pixels per pixel of the element in the compressed middle. */
const pressure = (listHeight: number): number => (listHeight - 2 * EDGE_PX) / (MAX_HEIGHT_PX - 2 * EDGE_PX);

export function toList(element: number, listHeight: number): number {
  if (listHeight <= MAX_HEIGHT_PX || element <= EDGE_PX) return element;
  if (element >= MAX_HEIGHT_PX - EDGE_PX) return listHeight - (MAX_HEIGHT_PX - element);
  return EDGE_PX + (element - EDGE_PX) * pressure(listHeight);
}

export function toElement(list: number, listHeight: number): number {
  if (listHeight <= MAX_HEIGHT_PX || list <= EDGE_PX) return list;
  if (list >= listHeight - EDGE_PX) return MAX_HEIGHT_PX - (listHeight - list);
  return EDGE_PX + (list - EDGE_PX) / pressure(listHeight);
}

/**
 * Returns the list's position after the scroller moved to `element`: relative, or absolute after a jump and at the
 * ends.
 */
export function follow(from: Place, element: number, listHeight: number, isAtEnd: boolean): Place {
  const step = element - from.element;
  const isExact = Math.abs(step) <= LEAP_PX && element > 0 && !isAtEnd;
  return { element, list: isExact ? from.list + step : toList(element, listHeight) };
}

/** Returns true if the scroll bar and the list disagree, which is corrected when scrolling ends. */
export const hasDrifted = ({ element, list }: Place, listHeight: number): boolean =>
  Math.abs(toElement(list, listHeight) - element) >= 1;

export interface RowRange {
  first: number;
  last: number;
}

/** Returns the visible rows from `top` on, with `overscan` more on either side. */
export function rowsIn(top: number, height: number, rowHeight: number, count: number, overscan: number): RowRange {
  const firstRow = Math.floor(top / rowHeight) - overscan;
  const lastRow = Math.ceil((top + height) / rowHeight) - 1 + overscan;
  return {
    first: Math.min(Math.max(0, firstRow), Math.max(0, count - 1)),
    last: Math.min(count - 1, Math.max(lastRow, -1)),
  };
}

/**
 * Returns the list position at which a row is fully visible; undefined if the row already is. `head` is the height of
 * the sticky header.
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

/**
 * Assigns rows to elements: rows that stay keep their element, so that the focus stays with its row, and rows that
 * enter reuse the elements of rows that left.
 */
export function slotsFor(
  rows: readonly number[],
  previousSlots: ReadonlyMap<number, number>,
): ReadonlyMap<number, number> {
  const shownRows = new Set(rows);
  const takenSlots = new Set(previousSlots.values());
  const freeSlots = [...previousSlots].flatMap(([row, slot]) => (shownRows.has(row) ? [] : [slot]));
  let next = 0;
  const takeNewSlot = (): number => {
    while (takenSlots.has(next)) next += 1;
    takenSlots.add(next);
    return next;
  };
  return new Map(rows.map((row) => [row, previousSlots.get(row) ?? freeSlots.shift() ?? takeNewSlot()]));
}
