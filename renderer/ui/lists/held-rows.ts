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
  previousState: Held<P>,
  wantedView: P,
  isLoaded: (rows: RowRange) => boolean,
  now: number,
): Held<P> {
  const isOutOfSight = wantedView.last < wantedView.first; // below the visible part of the page, no rows are awaited
  if (isOutOfSight || isLoaded(wantedView)) return { shown: wantedView, passed: [] };
  const passedViews =
    previousState.passed.at(-1) === wantedView
      ? previousState.passed
      : [...previousState.passed.slice(-MAX_PASSED_VIEWS), wantedView];
  const newest = passedViews.findLastIndex(isLoaded);
  const arrived = passedViews[newest];
  if (arrived) return { shown: arrived, passed: passedViews.slice(newest + 1), since: now };
  const waitingSince = previousState.since ?? now;
  const { shown } = previousState;
  // a page key counts as a jump, a mouse wheel does not
  const isJump = countCommonRows(shown, wantedView) < countCommonRows(wantedView, wantedView) / 2;
  return {
    shown: isJump && now - waitingSince < HOLD_MS && isLoaded(shown) ? shown : wantedView,
    passed: passedViews,
    since: waitingSince,
  };
}

/** Returns the number of rows that both ranges contain. */
const countCommonRows = (a: RowRange, b: RowRange): number =>
  Math.max(0, Math.min(a.last, b.last) - Math.max(a.first, b.first) + 1);
