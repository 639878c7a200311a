import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMemoryRelease } from '../../../server/jobs/release-memory.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function simulateServer(megabytes: number) {
  const state = { busy: false, megabytes };
  const [collect, pragma] = [vi.fn(), vi.fn()];
  const memoryRelease = createMemoryRelease({
    client: { pragma },
    isBusy: () => state.busy,
    size: () => state.megabytes * 2 ** 20,
    collect,
  });
  memoryRelease.start();
  return {
    state,
    collect,
    pragma,
    memoryRelease,
    later: (seconds: number) => vi.advanceTimersByTime(seconds * 1_000),
  };
}

test('memory is released after ten idle seconds from the start, and not again while nothing happens', () => {
  const { collect, pragma, later: advance, state } = simulateServer(130);
  advance(10);
  expect(pragma).toHaveBeenCalledExactlyOnceWith('shrink_memory');
  expect(collect).toHaveBeenCalledOnce();
  state.megabytes = 95;
  advance(3_600);
  expect(collect).toHaveBeenCalledOnce();
});

test('a busy server keeps its memory, and releases it when it is idle', () => {
  const { collect, later: advance, state, memoryRelease } = simulateServer(130);
  state.busy = true;
  advance(3_600);
  expect(collect).not.toHaveBeenCalled();
  state.busy = false;
  advance(10);
  expect(collect).toHaveBeenCalledOnce();
  memoryRelease.stop();
});

test('occasional requests that allocate little cause no collection', () => {
  const { collect, later: advance, state } = simulateServer(95);
  advance(15);
  for (const megabytes of [96, 98, 104]) {
    state.busy = true;
    advance(5);
    Object.assign(state, { busy: false, megabytes });
    advance(30);
  }
  expect(collect).toHaveBeenCalledTimes(2);
});

test('memory that a thread allocated while there were no requests is released too', () => {
  const { collect, later: advance, state } = simulateServer(130);
  advance(10);
  state.megabytes = 95;
  advance(60);
  state.megabytes = 104;
  advance(5);
  expect(collect).toHaveBeenCalledTimes(2);
});
