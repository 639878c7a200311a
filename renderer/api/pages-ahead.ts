// Which pages of a long list are fetched: those on screen, and while it moves those in its way. Pure.

/** The largest page the server returns. */
export const PAGE_SIZE = 200;

/** Ranges fetched in the direction of the movement: what a held page key passes in more than a second. */
const ROWS_AHEAD = 20;
const MAX_ROWS_AHEAD = 600;
/** Rows fetched behind, for whoever turns round. */
const ROWS_BEHIND = 100;

/**
 * Rows on screen, the one that is kept, whether to fetch the neighbours of those on screen, and where the list moves: 1
 * is down, 0 neither, after a jump.
 */
export interface View {
  first: number;
  last: number;
  kept: number;
  wide: boolean;
  way: 1 | 0 | -1;
}
interface Pages {
  first: number;
  last: number;
}

export const pageOf = (index: number): number => Math.floor(Math.max(0, index) / PAGE_SIZE);

export function pagesOf({ first, last, wide, way }: Omit<View, 'kept'>, total: number): Pages {
  const most = wide ? Math.min(MAX_ROWS_AHEAD, ROWS_AHEAD * (last - first + 1)) : 0;
  const to = (side: 1 | -1) => (way === 0 ? most / 2 : way === side ? most : Math.min(most, ROWS_BEHIND));
  return { first: pageOf(first - to(-1)), last: pageOf(Math.min(last + to(1), total - 1)) };
}

/** All of them, those nearest to what is seen first: the server answers one after the other. */
export function nearestFirst({ first, last }: Pages, seen: Pages): number[] {
  const all = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const distance = (page: number) => Math.max(seen.first - page, page - seen.last, 0);
  return all.toSorted((a, b) => distance(a) - distance(b));
}

/** Where the list moves from one view to the next: as before when its first row stays. */
export const wayTo = (first: number, { first: before, way }: View): View['way'] =>
  first > before ? 1 : first < before ? -1 : way;
