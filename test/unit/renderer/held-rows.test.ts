// While rows are loading, a list keeps drawing the rows that were loaded last, for a limited time.
import { expect, test } from 'vitest';
import { HOLD_MS, nextHeld, type Held } from '../../../renderer/ui/lists/held-rows.ts';
import type { RowRange } from '../../../renderer/ui/lists/scaled-scroll.ts';

const SCREEN_ROWS = 15;
const rowsFrom = (first: number): RowRange => ({ first, last: first + SCREEN_ROWS - 1 });

/** Simulates a list that loads one screen at a time, each `answerMs` after its request. */
function drag(steps: readonly { at: number; now: number }[], answerMs: number): { at: number; shows: number }[] {
  const loadedRows = new Set([0]);
  let request: { first: number; loadedAt: number } | undefined;
  let heldRows: Held<RowRange> = { shown: rowsFrom(0), passed: [] };
  return steps.map(({ at: first, now }) => {
    if (request && request.loadedAt <= now) {
      loadedRows.add(request.first);
      request = undefined;
    }
    if (!loadedRows.has(first)) request ??= { first, loadedAt: now + answerMs };
    const rows = heldRows.passed.at(-1)?.first === first ? heldRows.passed.at(-1)! : rowsFrom(first);
    heldRows = nextHeld(heldRows, rows, (range) => loadedRows.has(range.first), now);
    return { at: first, shows: heldRows.shown.first };
  });
}
const blanks = (frames: { shows: number }[], isLoaded: (first: number) => boolean) =>
  frames.filter(({ shows }) => !isLoaded(shows)).length;

test('rows of the last place stay until those of the next one are here', () => {
  const frames = drag(
    [0, 16, 32, 48, 64, 80].map((now) => ({ at: now === 0 ? 0 : 999_985, now })),
    50,
  );
  expect(frames.map(({ shows }) => shows)).toEqual([0, 0, 0, 0, 0, 999_985]);
});

test('while the scroll bar is dragged, every place that was loaded shows, and none is blank', () => {
  const steps = Array.from({ length: 120 }, (_, i) => ({ at: i * 8_000, now: i * 16 }));
  const frames = drag(steps, 40);
  const shownPlaces = [...new Set(frames.map(({ shows }) => shows))];
  expect(shownPlaces.length).toBeGreaterThan(30);
  expect(shownPlaces).toEqual(shownPlaces.toSorted((a, b) => a - b));
  for (const { at: wantedRow, shows } of frames) expect(wantedRow - shows).toBeLessThanOrEqual(6 * 8_000);
});

test('when nothing comes for long, blank rows show where the list is', () => {
  const steps = Array.from({ length: 60 }, (_, i) => ({ at: i * 8_000, now: i * 16 }));
  const frames = drag(steps, 10_000);
  const firstBlankFrame = frames.findIndex(({ at: wantedRow, shows }) => wantedRow > 0 && wantedRow === shows);
  expect(steps[firstBlankFrame]?.now).toBeGreaterThanOrEqual(HOLD_MS);
  expect(blanks(frames.slice(firstBlankFrame), (first) => first === 0)).toBe(frames.length - firstBlankFrame);
});

test('a list that is scrolled by less than a screen never stands still', () => {
  const isLoaded = ({ last }: RowRange) => last < 30;
  let heldRows: Held<RowRange> = { shown: rowsFrom(0), passed: [] };
  for (const first of [4, 8, 12, 16, 20, 24]) {
    heldRows = nextHeld(heldRows, rowsFrom(first), isLoaded, first);
    expect(heldRows.shown).toEqual(rowsFrom(first));
  }
});

test('a list that is below the fold waits for nothing', () => {
  const noRows = { first: 0, last: -1 };
  const isLoaded = ({ first, last }: RowRange) => last >= first;
  const heldRows = nextHeld({ shown: noRows, passed: [] }, noRows, isLoaded, 0);
  expect(heldRows.since).toBeUndefined();
  expect(nextHeld({ shown: rowsFrom(0), passed: [rowsFrom(40)], since: 0 }, noRows, isLoaded, 10)).toEqual({
    shown: noRows,
    passed: [],
  });
});
