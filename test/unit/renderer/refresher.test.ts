import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRefresher } from '../../../renderer/api/refresher.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Creates a reload function that takes this number of milliseconds, and a log of its calls. */
function createReloadLog(reloadMs: number) {
  const log = { begun: 0, ended: 0, atOnce: 0 };
  const reload = async (): Promise<void> => {
    log.begun++;
    log.atOnce = Math.max(log.atOnce, log.begun - log.ended);
    await new Promise((resolve) => void setTimeout(resolve, reloadMs));
    log.ended++;
  };
  return { log, reload };
}

/** Announces an event every 100 ms, for this number of milliseconds. */
async function announceRepeatedly(refresher: { soon(): void }, durationMs: number): Promise<void> {
  for (let ms = 0; ms < durationMs; ms += 100) {
    refresher.soon();
    await vi.advanceTimersByTimeAsync(100);
  }
}

test('reloads at once, then at most once in a while, and once more for what came last', async () => {
  const { log, reload } = createReloadLog(10);
  const refresher = createRefresher(1_000, reload);
  refresher.soon();
  await vi.advanceTimersByTimeAsync(0);
  expect(log.begun).toBe(1);
  await announceRepeatedly(refresher, 2_900);
  expect(log.begun).toBe(3);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(log).toEqual({ begun: 4, ended: 4, atOnce: 1 });
});

test('a reload slower than its events ends before the next one begins', async () => {
  const { log, reload } = createReloadLog(2_500);
  const refresher = createRefresher(1_000, reload);
  await announceRepeatedly(refresher, 9_900);
  expect(log).toEqual({ begun: 4, ended: 3, atOnce: 1 });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(log).toEqual({ begun: 5, ended: 5, atOnce: 1 });
});

test('goes on after a reload that failed, and not after it was cancelled', async () => {
  let reloadCount = 0;
  const refresher = createRefresher(1_000, async () => {
    reloadCount++;
    throw new Error('no server');
  });
  await announceRepeatedly(refresher, 1_900);
  expect(reloadCount).toBe(2);
  refresher.cancel();
  await announceRepeatedly(refresher, 60_000);
  expect(reloadCount).toBe(2);
});

test('a reload that never ends is given up after half a minute', async () => {
  let reloadCount = 0;
  const refresher = createRefresher(1_000, () => {
    reloadCount++;
    return reloadCount === 1 ? new Promise(() => undefined) : Promise.resolve();
  });
  refresher.soon();
  await vi.advanceTimersByTimeAsync(500);
  refresher.soon();
  await vi.advanceTimersByTimeAsync(29_000);
  expect(reloadCount).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(reloadCount).toBe(2);
  await announceRepeatedly(refresher, 1_900);
  expect(reloadCount).toBe(4);
});
