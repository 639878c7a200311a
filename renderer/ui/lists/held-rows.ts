// After a jump in a long list, by the scroll bar or End, loaded rows stay visible until the rows of the new position
// are loaded, so that a fast-scrolled list displays rows and not blanks. Pure; use-row-window.ts draws the rows.
import type { RowRange } from './scaled-scroll.ts';

/** Blank rows are displayed after this time without loaded rows. */
export const HOLD_MS = 500;
/** Maximum number of positions passed in the meantime, any of which may be loaded by now. */
const MAX_PASSED_VIEWS = 30;

/** The displayed rows of a list and the positions that were passed while waiting for new rows. */
export interface Held<P extends RowRange> {
  /** The position whose rows are drawn. */
  shown: P;
  /** Positions that are not loaded yet, oldest first. */
  passed: readonly P[];
  /** Time of the last loaded rows; undefined when no rows are awaited. */
  since?: number;
}

export function nextHeld<P extends RowRange>(
  before: Held<P>,
  wanted: P,
  isLoaded: (rows: RowRange) => boolean,
  now: number,
): Held<P> {
  const isOutOfSight = wanted.last < wanted.first; // below the visible part of the page, no rows are awaited
  if (isOutOfSight || isLoaded(wanted)) return { shown: wanted, passed: [] };
  const passed = before.passed.at(-1) === wanted ? before.passed : [...before.passed.slice(-MAX_PASSED_VIEWS), wanted];
  const newest = passed.findLastIndex(isLoaded);
  const arrived = passed[newest];
  if (arrived) return { shown: arrived, passed: passed.slice(newest + 1), since: now };
  const since = before.since ?? now;
  const { shown } = before;
  // a page key counts as a jump, a mouse wheel does not
  const isJump = common(shown, wanted) < common(wanted, wanted) / 2;
  return { shown: isJump && now - since < HOLD_MS && isLoaded(shown) ? shown : wanted, passed, since };
}

/** Returns the number of rows that both ranges contain. */
const common = (a: RowRange, b: RowRange): number =>
  Math.max(0, Math.min(a.last, b.last) - Math.max(a.first, b.first) + 1);
