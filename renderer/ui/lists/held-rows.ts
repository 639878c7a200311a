// After a jump in a long list, by the scroll bar or End, rows that are loaded stay in sight until those of the new
// place are, so that a list shows rows and not blanks while it flies past. Pure; use-row-window.ts draws them.
import type { RowRange } from './scaled-scroll.ts';

/** Blank rows show after this long without loaded ones. */
export const HOLD_MS = 500;
/** Places passed meanwhile, any of which may be loaded by now. */
const MAX_PASSED_VIEWS = 30;

/** A place in a list: the rows that are visible there. */
export interface Held<P extends RowRange> {
  /** Drawn now. */
  shown: P;
  /** Not loaded yet, oldest first. */
  passed: readonly P[];
  /** When loaded rows came last; undefined when nothing is waited for. */
  since?: number;
}

export function nextHeld<P extends RowRange>(
  before: Held<P>,
  wanted: P,
  isLoaded: (rows: RowRange) => boolean,
  now: number,
): Held<P> {
  const isOutOfSight = wanted.last < wanted.first; // below the fold: nothing is waited for
  if (isOutOfSight || isLoaded(wanted)) return { shown: wanted, passed: [] };
  const passed = before.passed.at(-1) === wanted ? before.passed : [...before.passed.slice(-MAX_PASSED_VIEWS), wanted];
  const newest = passed.findLastIndex(isLoaded);
  const arrived = passed[newest];
  if (arrived) return { shown: arrived, passed: passed.slice(newest + 1), since: now };
  const since = before.since ?? now;
  const { shown } = before;
  const isJump = common(shown, wanted) < common(wanted, wanted) / 2; // a page key is one, a wheel is not
  return { shown: isJump && now - since < HOLD_MS && isLoaded(shown) ? shown : wanted, passed, since };
}

/** How many rows are in both. */
const common = (a: RowRange, b: RowRange): number =>
  Math.max(0, Math.min(a.last, b.last) - Math.max(a.first, b.first) + 1);
