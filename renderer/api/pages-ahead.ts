// Chooses which pages of a long list are fetched: the pages on screen, and while the list moves those ahead. Pure.

/** The largest page that the server returns. */
export const PAGE_SIZE = 200;

/** Number of screenfuls fetched in the direction of movement, which a held page key passes in more than a second. */
const ROWS_AHEAD = 20;
const MAX_ROWS_AHEAD = 600;
/** Number of rows fetched behind the visible ones, in case the user scrolls back. */
const ROWS_BEHIND = 100;

/**
 * The rows on screen (`first` to `last`), the row that stays loaded (`keptRow`), whether neighbouring pages are fetched
 * (`wide`), and the direction of movement: 1 is down, -1 up, 0 after a jump.
 */
export interface View {
  first: number;
  last: number;
  keptRow: number;
  wide: boolean;
  direction: 1 | 0 | -1;
}
interface Pages {
  first: number;
  last: number;
}

export const pageOf = (index: number): number => Math.floor(Math.max(0, index) / PAGE_SIZE);

export function pagesOf({ first, last, wide, direction: way }: Omit<View, 'keptRow'>, total: number): Pages {
  const maxAhead = wide ? Math.min(MAX_ROWS_AHEAD, ROWS_AHEAD * (last - first + 1)) : 0;
  const to = (side: 1 | -1) => (way === 0 ? maxAhead / 2 : way === side ? maxAhead : Math.min(maxAhead, ROWS_BEHIND));
  return { first: pageOf(first - to(-1)), last: pageOf(Math.min(last + to(1), total - 1)) };
}

/** Returns the pages, nearest to the visible ones first, because the server answers requests in order. */
export function nearestFirst({ first, last }: Pages, visiblePages: Pages): number[] {
  const pages = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const distance = (page: number) => Math.max(visiblePages.first - page, page - visiblePages.last, 0);
  return pages.toSorted((a, b) => distance(a) - distance(b));
}

/** Returns the direction from one view to the next; the direction stays if the first row stays. */
export const directionTo = (firstRow: number, { first: previousFirstRow, direction: way }: View): View['direction'] =>
  firstRow > previousFirstRow ? 1 : firstRow < previousFirstRow ? -1 : way;
