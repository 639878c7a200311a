// What a list draws while rows are on their way: those that were loaded last, for a while.
import { expect, test } from 'vitest';
import { HOLD_MS, nextHeld, type Held } from '../../../renderer/ui/lists/held-rows.ts';
import type { RowRange } from '../../../renderer/ui/lists/scaled-scroll.ts';

const SCREEN = 15;
const at = (first: number): RowRange => ({ first, last: first + SCREEN - 1 });

/** A list in which a screen is loaded some time after it was asked for; one at a time. */
function drag(steps: readonly { at: number; now: number }[], answerMs: number): { at: number; shows: number }[] {
  const loaded = new Set([0]);
  let asked: { first: number; until: number } | undefined;
  let held: Held<RowRange> = { shown: at(0), passed: [] };
  return steps.map(({ at: first, now }) => {
    if (asked && asked.until <= now) {
      loaded.add(asked.first);
      asked = undefined;
    }
    if (!loaded.has(first)) asked ??= { first, until: now + answerMs };
    const rows = held.passed.at(-1)?.first === first ? held.passed.at(-1)! : at(first);
    held = nextHeld(held, rows, (range) => loaded.has(range.first), now);
    return { at: first, shows: held.shown.first };
  });
}
const blanks = (frames: { shows: number }[], loaded: (first: number) => boolean) =>
  frames.filter(({ shows }) => !loaded(shows)).length;

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
  const shown = [...new Set(frames.map(({ shows }) => shows))];
  expect(shown.length).toBeGreaterThan(30);
  expect(shown).toEqual(shown.toSorted((a, b) => a - b));
  for (const { at: wanted, shows } of frames) expect(wanted - shows).toBeLessThanOrEqual(6 * 8_000);
});

test('when nothing comes for long, blank rows show where the list is', () => {
  const steps = Array.from({ length: 60 }, (_, i) => ({ at: i * 8_000, now: i * 16 }));
  const frames = drag(steps, 10_000);
  const from = frames.findIndex(({ at: wanted, shows }) => wanted > 0 && wanted === shows);
  expect(steps[from]?.now).toBeGreaterThanOrEqual(HOLD_MS);
  expect(blanks(frames.slice(from), (first) => first === 0)).toBe(frames.length - from);
});

test('a list that is scrolled by less than a screen never stands still', () => {
  const isLoaded = ({ last }: RowRange) => last < 30;
  let held: Held<RowRange> = { shown: at(0), passed: [] };
  for (const first of [4, 8, 12, 16, 20, 24]) {
    held = nextHeld(held, at(first), isLoaded, first);
    expect(held.shown).toEqual(at(first));
  }
});

test('a list that is below the fold waits for nothing', () => {
  const none = { first: 0, last: -1 };
  const isLoaded = ({ first, last }: RowRange) => last >= first;
  const held = nextHeld({ shown: none, passed: [] }, none, isLoaded, 0);
  expect(held.since).toBeUndefined();
  expect(nextHeld({ shown: at(0), passed: [at(40)], since: 0 }, none, isLoaded, 10)).toEqual({
    shown: none,
    passed: [],
  });
});
