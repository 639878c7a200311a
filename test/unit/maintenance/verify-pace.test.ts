// Tests that the daily verification runs slowly and yields.
import { describe, expect, it } from 'vitest';
import { runThrottled } from '../../../server/maintenance/verify-pace.ts';

const testPace = { restFactor: 0, checkEveryMs: 1, maxChecks: 5 };

describe('a slow step', () => {
  it.each([
    ['at once while nobody is served', [false], 1],
    ['once it is quiet', [true, true, false], 3],
    ['in the end also where it is never quiet', Array.from({ length: 9 }, () => true), 5],
  ])('is done %s', async (_, isBusy, expectedChecks) => {
    let checkCount = 0;
    expect(
      await runThrottled(
        { pace: testPace, isBusy: () => isBusy[checkCount++] ?? false, signal: new AbortController().signal },
        () => Promise.resolve('done'),
      ),
    ).toBe('done');
    expect(checkCount).toBe(expectedChecks);
  });

  it('is not done when the job is cancelled while it waits', async () => {
    const controller = new AbortController();
    let isDone = false;
    const throttledRun = runThrottled(
      {
        pace: { ...testPace, checkEveryMs: 60_000 },
        isBusy: () => {
          controller.abort();
          return true;
        },
        signal: controller.signal,
      },
      () => {
        isDone = true;
        return Promise.resolve();
      },
    );
    await expect(throttledRun).rejects.toThrow(/abort/i);
    expect(isDone).toBe(false);
  });
});
