// The daily verification runs slowly and yields.
import { describe, expect, it } from 'vitest';
import { runThrottled } from '../../../server/maintenance/verify-pace.ts';

const pace = { restFactor: 0, checkEveryMs: 1, maxChecks: 5 };

describe('a slow step', () => {
  it.each([
    ['at once while nobody is served', [false], 1],
    ['once it is quiet', [true, true, false], 3],
    ['in the end also where it is never quiet', Array.from({ length: 9 }, () => true), 5],
  ])('is done %s', async (_, busy, looks) => {
    let asked = 0;
    expect(
      await runThrottled({ pace, isBusy: () => busy[asked++] ?? false, signal: new AbortController().signal }, () =>
        Promise.resolve('done'),
      ),
    ).toBe('done');
    expect(asked).toBe(looks);
  });

  it('is not done when the job is stopped while it waits', async () => {
    const stop = new AbortController();
    let isDone = false;
    const work = runThrottled(
      {
        pace: { ...pace, checkEveryMs: 60_000 },
        isBusy: () => {
          stop.abort();
          return true;
        },
        signal: stop.signal,
      },
      () => {
        isDone = true;
        return Promise.resolve();
      },
    );
    await expect(work).rejects.toThrow(/abort/i);
    expect(isDone).toBe(false);
  });
});
