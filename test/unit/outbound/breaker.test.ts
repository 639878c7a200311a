import { expect, it } from 'vitest';
import { createBreaker } from '../../../server/outbound/breaker.ts';

function makeBreaker() {
  let time = 0;
  const breaker = createBreaker({ failures: 2, pauseMs: 30_000, longestPauseMs: 100_000, now: () => time });
  return {
    breaker,
    wait: (ms: number) => {
      time += ms;
    },
    fail: () => {
      expect(breaker.enter()).toBe(true);
      breaker.noteFailure();
    },
  };
}

it('allows all requests while they succeed, and after a single failure', () => {
  const { breaker, fail } = makeBreaker();
  fail();
  expect([breaker.mayAsk(), breaker.enter(), breaker.enter()]).toEqual([true, true, true]);
  breaker.noteSuccess();
  fail();
  expect(breaker.mayAsk()).toBe(true);
});

it('allows no requests after failures in a row, then a single one', () => {
  const { breaker, wait, fail } = makeBreaker();
  fail();
  fail();
  expect([breaker.mayAsk(), breaker.enter()]).toEqual([false, false]);
  wait(29_999);
  expect(breaker.enter()).toBe(false);
  wait(1);
  expect([breaker.enter(), breaker.enter()]).toEqual([true, false]);
  breaker.noteSuccess();
  expect([breaker.enter(), breaker.enter()]).toEqual([true, true]);
});

it('waits twice as long each time that one fails too, up to a limit', () => {
  const { breaker, wait, fail } = makeBreaker();
  fail();
  fail();
  for (const pause of [30_000, 60_000, 100_000, 100_000]) {
    wait(pause - 1);
    expect(breaker.mayAsk()).toBe(false);
    wait(1);
    fail();
    expect(breaker.mayAsk()).toBe(false);
  }
});

it('allows the next one when the first was aborted', () => {
  const { breaker, wait, fail } = makeBreaker();
  fail();
  fail();
  wait(30_000);
  expect(breaker.enter()).toBe(true);
  breaker.noteAbandoned();
  expect(breaker.enter()).toBe(true);
});

it('counts those in progress when it opened once', () => {
  const { breaker, wait } = makeBreaker();
  for (let i = 0; i < 10; i++) breaker.enter();
  for (let i = 0; i < 10; i++) breaker.noteFailure();
  wait(30_000);
  expect(breaker.mayAsk()).toBe(true);
});

it('is reset when a setting changes, and not blocked by a clock that is set back', () => {
  const { breaker, wait, fail } = makeBreaker();
  fail();
  fail();
  breaker.reset();
  expect(breaker.mayAsk()).toBe(true);
  fail();
  fail();
  wait(-3_600_000);
  expect(breaker.mayAsk()).toBe(true);
});
