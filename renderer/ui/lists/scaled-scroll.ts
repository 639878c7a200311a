// Browsers refuse elements higher than some ten million pixels, and a million rows are higher. So a long list gets a
// lower element with a compressed middle: both ends are one to one, the scroll bar reaches every row, and wheel, keys
// and touch still scroll by exactly the pixels they ask for. Pure; use-row-window.ts does the scrolling.

/** The maximum height of an element; Firefox's limit is 17.8 million pixels. */
const MAX_HEIGHT_PX = 8_000_000;
/** This much at each end is one to one, far more than anyone scrolls in one go. */
const EDGE_PX = 1_000_000;
/** A longer step comes from the scroll bar, or from Home and End. */
const LEAP_PX = 6_000;

/** Position in the element and in the list, in pixels from the top. */
export interface Place {
  element: number;
  list: number;
}

export const elementHeight = (listHeight: number): number => Math.min(listHeight, MAX_HEIGHT_PX);

/** How many pixels of the list one pixel of the element stands for, away from the ends. */
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

/** The list's position after the scroller went to `element`: relative, or absolute after a jump and at the ends. */
export function follow(from: Place, element: number, listHeight: number, isAtEnd: boolean): Place {
  const step = element - from.element;
  const isExact = Math.abs(step) <= LEAP_PX && element > 0 && !isAtEnd;
  return { element, list: isExact ? from.list + step : toList(element, listHeight) };
}

/** True when the scroll bar and the list disagree, which is corrected at rest. */
export const hasDrifted = ({ element, list }: Place, listHeight: number): boolean =>
  Math.abs(toElement(list, listHeight) - element) >= 1;

export interface RowRange {
  first: number;
  last: number;
}

/** Rows visible from `top` on, with `overscan` more on either side. */
export function rowsIn(top: number, height: number, rowHeight: number, count: number, overscan: number): RowRange {
  const first = Math.floor(top / rowHeight) - overscan;
  const last = Math.ceil((top + height) / rowHeight) - 1 + overscan;
  return { first: Math.min(Math.max(0, first), Math.max(0, count - 1)), last: Math.min(count - 1, Math.max(last, -1)) };
}

/** The list position at which a row is fully visible; undefined when it is. `head` is covered by the sticky header. */
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
 * Which element shows which row: rows that stay keep theirs, so that the focus stays with its row, and rows that enter
 * take over those of rows that left.
 */
export function slotsFor(rows: readonly number[], before: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  const shown = new Set(rows);
  const takenSlots = new Set(before.values());
  const freeSlots = [...before].flatMap(([row, slot]) => (shown.has(row) ? [] : [slot]));
  let next = 0;
  const added = (): number => {
    while (takenSlots.has(next)) next += 1;
    takenSlots.add(next);
    return next;
  };
  return new Map(rows.map((row) => [row, before.get(row) ?? freeSlots.shift() ?? added()]));
}
