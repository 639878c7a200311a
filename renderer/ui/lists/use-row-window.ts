// Determines which rows of a long list are in the document, and their positions. All rows have the same height. See
// scaled-scroll.ts for lists higher than the maximum height of an element.
import { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { HOLD_MS, nextHeld, type Held } from './held-rows.ts';
import {
  elementHeight,
  follow,
  hasDrifted,
  placeToShow,
  rowsIn,
  slotsFor,
  toElement,
  toList,
  type Place,
  type RowRange,
} from './scaled-scroll.ts';
import { useScroller } from './scroller.ts';

/** Scrolling has ended after this long without a scroll event. */
const SCROLL_END_MS = 160;
/**
 * A step of more screens than this is a jump; jumps in quick succession come from dragging the scroll bar, and covers
 * are loaded when scrolling ends (cover.module.css).
 */
const LEAP_SCREENS = 2;

interface RowWindowOptions {
  count: number;
  rowHeight: number;
  overscan: number;
  /** Offset of the first row from the top of the scrolled content. */
  margin: number;
  /** Height of the sticky header. */
  head?: number;
  /** A row that always stays in the document, so that focus is never lost. */
  keptRow: number;
  /** False for a row that is blank until it is loaded. */
  isLoaded: (row: number) => boolean;
}

interface RowWindow {
  /** Height of the element that contains the rows. */
  height: number;
  range: RowRange;
  /** `slot` is constant when an element is reused for another row. */
  rows: { index: number; top: number; slot: number }[];
  /**
   * True while the visible rows are not loaded: a held key then waits, since it would otherwise move faster than rows
   * can be displayed.
   */
  isWaiting: boolean;
  reveal: (row: number) => void;
}

/** The visible rows, and the list's position in its element, in pixels from the top. */
type View = RowRange & Place;

const NOWHERE: View = { first: 0, last: -1, element: 0, list: 0 };

export function useRowWindow({
  count,
  rowHeight,
  overscan,
  margin,
  head = 0,
  keptRow,
  isLoaded,
}: RowWindowOptions): RowWindow {
  const scroller = useScroller();
  const listHeight = count * rowHeight;
  const place = useRef<Place>({ element: 0, list: 0 });
  const [view, setView] = useState<View>(NOWHERE);
  const heldView = useRef<Held<View>>({ shown: NOWHERE, passed: [] });

  const updateView = useCallback(() => {
    if (!scroller) return;
    const { element, list } = place.current;
    const { first, last } = rowsIn(list, scroller.clientHeight, rowHeight, count, 0);
    const isHolding = heldView.current.since !== undefined; // held rows move with each pixel
    setView((now) =>
      now.first === first && now.last === last && now.list - now.element === list - element && !isHolding
        ? now
        : { first, last, element, list },
    );
  }, [scroller, rowHeight, count]);

  useLayoutEffect(() => {
    if (!scroller) return undefined;
    let rest: ReturnType<typeof setTimeout> | undefined;
    let leaptAt = -SCROLL_END_MS;
    const noteLeap = () => {
      const step = scroller.scrollTop - margin - place.current.element;
      if (Math.abs(step) <= LEAP_SCREENS * scroller.clientHeight) return;
      const now = performance.now();
      if (now - leaptAt < SCROLL_END_MS) scroller.dataset['flying'] = '';
      leaptAt = now;
    };
    /**
     * Moves the scroll bar to the list's position; rows do not move, because their offset changes by the same amount.
     */
    const settle = () => {
      delete scroller.dataset['flying'];
      if (!hasDrifted(place.current, listHeight)) return;
      scroller.scrollTop = toElement(place.current.list, listHeight) + margin;
      place.current = { element: scroller.scrollTop - margin, list: place.current.list };
      flushSync(updateView);
    };
    const onScroll = () => {
      noteLeap();
      const isAtEnd = scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1;
      place.current = follow(place.current, scroller.scrollTop - margin, listHeight, isAtEnd);
      // renders in this frame, because otherwise the rows would be drawn one frame after the scroll bar
      flushSync(updateView);
      clearTimeout(rest);
      rest = setTimeout(settle, SCROLL_END_MS);
    };
    const element = scroller.scrollTop - margin;
    place.current = { element, list: toList(element, listHeight) };
    updateView();
    scroller.addEventListener('scroll', onScroll, { passive: true });
    const observer = new ResizeObserver(updateView);
    observer.observe(scroller);
    return () => {
      clearTimeout(rest);
      delete scroller.dataset['flying'];
      observer.disconnect();
      scroller.removeEventListener('scroll', onScroll);
    };
  }, [scroller, margin, listHeight, updateView]);

  const reveal = useCallback(
    (row: number) => {
      if (!scroller) return;
      const targetPlace = placeToShow(row, rowHeight, place.current.list, scroller.clientHeight, head);
      if (targetPlace === undefined) return;
      const to = row === 0 ? -margin : targetPlace; // content above the list shows with the first row
      scroller.scrollTop = toElement(to, listHeight) + margin;
      const element = scroller.scrollTop - margin;
      // If the page is too short for the scroller to move, the list does not move either.
      place.current = {
        element,
        list: Math.abs(element - toElement(to, listHeight)) < 1 ? to : toList(element, listHeight),
      };
      updateView();
    },
    [scroller, rowHeight, head, listHeight, margin, updateView],
  );

  heldView.current = nextHeld(
    heldView.current,
    view,
    ({ first, last }) => {
      for (let row = first; row <= last; row += 1) if (!isLoaded(row)) return false;
      return last >= first;
    },
    performance.now(),
  );
  const { shown, since } = heldView.current;
  const isHeld = shown !== view;
  const [, drawAgain] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    if (!isHeld || since === undefined) return undefined;
    const end = setTimeout(drawAgain, since + HOLD_MS - performance.now());
    return () => clearTimeout(end);
  }, [isHeld, since]);

  const around = useMemo(() => widened(view, overscan, count), [view.first, view.last, overscan, count]);
  const drawnRows = isHeld ? widened(shown, overscan, count) : around;
  // held rows stay in place on the screen, and below the content above the list
  const shift = isHeld ? Math.max(0, shown.list) - view.element : view.list - view.element;
  const slots = useRef<ReadonlyMap<number, number>>(new Map());
  const rows = useMemo(() => {
    const placedRows: { index: number; top: number }[] = [];
    const hasKept = keptRow >= 0 && keptRow < count;
    const add = (index: number, place = index) => placedRows.push({ index, top: place * rowHeight - shift });
    // The kept row is placed next to the window and not at its own position, which may be beyond the maximum height of
    // the element.
    if (hasKept && keptRow < drawnRows.first) add(keptRow, drawnRows.first - 1);
    for (let index = drawnRows.first; index <= drawnRows.last; index += 1) add(index);
    if (hasKept && keptRow > drawnRows.last) add(keptRow, drawnRows.last + 1);
    const slotOf = slotsFor(
      placedRows.map(({ index }) => index),
      slots.current,
    );
    slots.current = slotOf;
    return placedRows.map((row) => ({ ...row, slot: slotOf.get(row.index) ?? 0 }));
  }, [drawnRows.first, drawnRows.last, shift, keptRow, count, rowHeight]);

  return {
    height: elementHeight(listHeight),
    range: around,
    rows,
    isWaiting: count > 0 && since !== undefined,
    reveal,
  };
}

const widened = ({ first, last }: RowRange, by: number, count: number): RowRange => ({
  first: Math.max(0, first - by),
  last: Math.min(count - 1, last + by),
});

/**
 * Returns a function that returns true once per frame, because a held key repeats faster than a slow machine renders.
 */
export function useOncePerFrame(): () => boolean {
  const isDone = useRef(false);
  return useCallback(() => {
    if (isDone.current) return false;
    isDone.current = true;
    requestAnimationFrame(() => {
      isDone.current = false;
    });
    return true;
  }, []);
}

/** Focuses a row that may have to be rendered first: call the returned function with the row after `reveal`. */
export function useLateFocus(findElement: (row: number) => HTMLElement | null | undefined): (row: number) => void {
  const targetIndex = useRef<number | null>(null);
  const [, setAsked] = useState(0);
  useEffect(() => {
    if (targetIndex.current === null) return;
    const target = findElement(targetIndex.current);
    if (!target) return;
    targetIndex.current = null;
    target.focus({ preventScroll: true });
  });
  return useCallback((row) => {
    targetIndex.current = row;
    setAsked((count) => count + 1);
  }, []);
}
