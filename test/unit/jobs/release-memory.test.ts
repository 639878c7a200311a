import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMemoryRelease } from '../../../server/jobs/release-memory.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function serverOf(megabytes: number) {
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

test('ten quiet seconds after a start, memory is released, and not again while nothing happens', () => {
  const { collect, pragma, later, state } = serverOf(130);
  later(10);
  expect(pragma).toHaveBeenCalledExactlyOnceWith('shrink_memory');
  expect(collect).toHaveBeenCalledOnce();
  state.megabytes = 95;
  later(3_600);
  expect(collect).toHaveBeenCalledOnce();
});

test('a busy server is left alone, and releases memory when it is quiet', () => {
  const { collect, later, state, memoryRelease } = serverOf(130);
  state.busy = true;
  later(3_600);
  expect(collect).not.toHaveBeenCalled();
  state.busy = false;
  later(10);
  expect(collect).toHaveBeenCalledOnce();
  memoryRelease.stop();
});

test('a request now and then that leaves nothing behind costs no collection', () => {
  const { collect, later, state } = serverOf(95);
  later(15);
  for (const megabytes of [96, 98, 104]) {
    state.busy = true;
    later(5);
    Object.assign(state, { busy: false, megabytes });
    later(30);
  }
  expect(collect).toHaveBeenCalledTimes(2);
});

test('what a thread leaves behind while nobody asks for anything is released too', () => {
  const { collect, later, state } = serverOf(130);
  later(10);
  state.megabytes = 95;
  later(60);
  state.megabytes = 104;
  later(5);
  expect(collect).toHaveBeenCalledTimes(2);
});
