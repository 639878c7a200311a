// A clock that cannot be true deletes nothing.
import { expect, test } from 'vitest';
import { createTimeForAges } from '../../../server/runtime/time-for-ages.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const TODAY = Date.parse('2026-11-27T08:00:00Z');

/** `clock` and `elapsed` in milliseconds are moved by the tests. */
function machine(lastKnown: number | undefined) {
  const at = { clock: TODAY, elapsed: 0, doubts: 0 };
  const time = createTimeForAges({
    now: () => new Date(at.clock),
    lastKnown: lastKnown === undefined ? undefined : new Date(lastKnown),
    elapsedMs: () => at.elapsed,
    onDoubt: () => at.doubts++,
  });
  return {
    at,
    /** In days from today. */
    days: (): number => (time().getTime() - TODAY) / DAY,
    wait(ms: number): void {
      at.clock += ms;
      at.elapsed += ms;
    },
  };
}

test('of a new library, and of one that was used lately, is the clock', () => {
  for (const lastKnown of [undefined, TODAY, TODAY - 6 * DAY, TODAY + 3 * DAY]) {
    const { days, wait, at } = machine(lastKnown);
    expect(days()).toBe(0);
    wait(40 * DAY);
    expect([days(), at.doubts]).toEqual([40, 0]);
  }
});

test('of a clock that is years ahead at the start goes on from what the library knows, for a day of running', () => {
  const { days, wait, at } = machine(TODAY - 730 * DAY);
  expect(days()).toBe(-730);
  wait(23 * HOUR);
  expect(days()).toBeCloseTo(-730 + 23 / 24);
  wait(2 * HOUR);
  expect([days(), at.doubts]).toEqual([25 / 24, 1]);
});

test('of a clock that jumps ahead while the server runs, and back', () => {
  const { days, wait, at } = machine(TODAY);
  expect(days()).toBe(0);
  at.clock += 365 * DAY;
  wait(HOUR);
  expect([days(), at.doubts]).toEqual([1 / 24, 1]);
  at.clock -= 365 * DAY;
  wait(HOUR);
  expect(days()).toBeCloseTo(2 / 24);
  at.clock += 365 * DAY;
  expect([days(), at.doubts]).toEqual([expect.closeTo(2 / 24), 2]);
});

test('of a clock that is behind is that clock: nothing is old then', () => {
  const { days, at } = machine(TODAY + 730 * DAY);
  expect([days(), at.doubts]).toEqual([0, 0]);
});
