// Tests that a wrong clock causes no deletion.
import { expect, test } from 'vitest';
import { createTimeForAges, type ClockState, type TimeForAges } from '../../../server/runtime/time-for-ages.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const TODAY_MS = Date.parse('2026-11-27T08:00:00Z');

/** Simulates a machine. Tests move `clock` and `elapsed`, both in milliseconds. */
function simulateMachine(lastKnownMs: number | undefined) {
  const machine = { clock: TODAY_MS, elapsed: 0, doubts: 0 };
  let storedState: ClockState | undefined =
    lastKnownMs === undefined ? undefined : { timeMs: lastKnownMs, doubtedMs: null };
  let time: TimeForAges;
  const start = (): void => {
    time = createTimeForAges({
      now: () => new Date(machine.clock),
      savedState: storedState,
      elapsedMs: () => machine.elapsed,
      save: (newState) => (storedState = newState),
      onDoubt: () => machine.doubts++,
    });
  };
  start();
  return {
    at: machine,
    start,
    believe: (): void => time.trustClock(),
    doubtedDays: (): number => time.doubtMs() / DAY_MS,
    /** Returns the machine's time in days from today. */
    days: (): number => (time().getTime() - TODAY_MS) / DAY_MS,
    wait(ms: number): void {
      machine.clock += ms;
      machine.elapsed += ms;
    },
  };
}

test('of a new library, and of one that was used lately, is the clock', () => {
  for (const lastKnown of [undefined, TODAY_MS, TODAY_MS - 6 * DAY_MS, TODAY_MS + 3 * DAY_MS]) {
    const { days, wait, at: machine } = simulateMachine(lastKnown);
    expect(days()).toBe(0);
    wait(40 * DAY_MS);
    expect([days(), machine.doubts]).toEqual([40, 0]);
  }
});

test('of a clock that is years ahead at the start goes on from what the library knows, for a day of running', () => {
  const { days, wait, at: machine } = simulateMachine(TODAY_MS - 730 * DAY_MS);
  expect(days()).toBe(-730);
  wait(23 * HOUR_MS);
  expect(days()).toBeCloseTo(-730 + 23 / 24);
  wait(2 * HOUR_MS);
  expect([days(), machine.doubts]).toEqual([25 / 24, 1]);
});

test('of a clock that jumps ahead while the server runs, and back', () => {
  const { days, wait, at: machine } = simulateMachine(TODAY_MS);
  expect(days()).toBe(0);
  machine.clock += 365 * DAY_MS;
  wait(HOUR_MS);
  expect([days(), machine.doubts]).toEqual([1 / 24, 1]);
  machine.clock -= 365 * DAY_MS;
  wait(HOUR_MS);
  expect(days()).toBeCloseTo(2 / 24);
  machine.clock += 365 * DAY_MS;
  expect([days(), machine.doubts]).toEqual([expect.closeTo(2 / 24), 2]);
});

test('of a clock that is behind is that clock: nothing is old then, and it is right again afterwards', () => {
  const { days, at: machine, start, wait } = simulateMachine(TODAY_MS + 730 * DAY_MS);
  expect([days(), machine.doubts]).toEqual([0, 1]);
  wait(HOUR_MS);
  start();
  expect(days()).toBeCloseTo(1 / 24);
  machine.clock += 730 * DAY_MS;
  expect([days(), machine.doubts]).toEqual([expect.closeTo(730 + 1 / 24), 2]);
});

test('is doubted over all starts until the server has run for a day', () => {
  const { days, wait, at: machine, start, doubtedDays } = simulateMachine(TODAY_MS - 730 * DAY_MS);
  expect(days()).toBe(-730);
  for (const hours of [8, 8]) {
    wait(hours * HOUR_MS);
    expect(days()).toBeLessThan(-729);
    machine.clock += 12 * HOUR_MS; // the computer is off at night
    start();
    days();
  }
  wait(7 * HOUR_MS);
  expect([days() < -729, doubtedDays() > 729]).toEqual([true, true]);
  wait(2 * HOUR_MS);
  expect([days() > 0, doubtedDays()]).toEqual([true, 0]);
});

test('is the clock as soon as a person says that it is right, also at the next start', () => {
  const { days, believe, start, doubtedDays } = simulateMachine(TODAY_MS - 730 * DAY_MS);
  expect([days(), doubtedDays()]).toEqual([-730, 730]);
  believe();
  expect([days(), doubtedDays()]).toEqual([0, 0]);
  start();
  expect(days()).toBe(0);
});

test('is doubted again by the next start after a wrong clock was set right', () => {
  const { days, at: machine, start } = simulateMachine(TODAY_MS);
  expect(days()).toBe(0);
  machine.clock += 730 * DAY_MS;
  start();
  expect(days()).toBe(0);
  machine.clock -= 730 * DAY_MS;
  start();
  expect(days()).toBe(0);
  machine.clock += 730 * DAY_MS;
  start();
  expect([days(), machine.doubts]).toEqual([0, 2]);
});
