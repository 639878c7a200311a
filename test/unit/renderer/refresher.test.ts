import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRefresher } from '../../../renderer/api/refresher.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Each reload takes this long. */
function reloadsOf(tookMs: number) {
  const log = { begun: 0, ended: 0, atOnce: 0 };
  const reload = async (): Promise<void> => {
    log.begun++;
    log.atOnce = Math.max(log.atOnce, log.begun - log.ended);
    await new Promise((resolve) => void setTimeout(resolve, tookMs));
    log.ended++;
  };
  return { log, reload };
}

/** An event every 100 ms, for a while. */
async function announce(refresher: { soon(): void }, forMs: number): Promise<void> {
  for (let ms = 0; ms < forMs; ms += 100) {
    refresher.soon();
    await vi.advanceTimersByTimeAsync(100);
  }
}

test('reloads at once, then at most once in a while, and once more for what came last', async () => {
  const { log, reload } = reloadsOf(10);
  const refresher = createRefresher(1_000, reload);
  refresher.soon();
  await vi.advanceTimersByTimeAsync(0);
  expect(log.begun).toBe(1);
  await announce(refresher, 2_900);
  expect(log.begun).toBe(3);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(log).toEqual({ begun: 4, ended: 4, atOnce: 1 });
});

test('a reload slower than its events ends before the next one begins', async () => {
  const { log, reload } = reloadsOf(2_500);
  const refresher = createRefresher(1_000, reload);
  await announce(refresher, 9_900);
  expect(log).toEqual({ begun: 4, ended: 3, atOnce: 1 });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(log).toEqual({ begun: 5, ended: 5, atOnce: 1 });
});

test('goes on after a reload that failed, and not after it was cancelled', async () => {
  let count = 0;
  const refresher = createRefresher(1_000, async () => {
    count++;
    throw new Error('no server');
  });
  await announce(refresher, 1_900);
  expect(count).toBe(2);
  refresher.cancel();
  await announce(refresher, 60_000);
  expect(count).toBe(2);
});

test('a reload that never ends is given up after half a minute', async () => {
  let count = 0;
  const refresher = createRefresher(1_000, () => {
    count++;
    return count === 1 ? new Promise(() => undefined) : Promise.resolve();
  });
  refresher.soon();
  await vi.advanceTimersByTimeAsync(500);
  refresher.soon();
  await vi.advanceTimersByTimeAsync(29_000);
  expect(count).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(count).toBe(2);
  await announce(refresher, 1_900);
  expect(count).toBe(4);
});
