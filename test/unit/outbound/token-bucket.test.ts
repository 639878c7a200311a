// Tests the token bucket with a simulated clock, so that no test waits.
import { describe, expect, it } from 'vitest';
import { createTokenBucket } from '../../../server/outbound/token-bucket.ts';

/** Creates a clock that jumps to the end of the shortest wait when nothing else happens. */
function fakeTime() {
  let time = 0;
  let sleepers: { wakeAt: number; wake: () => void }[] = [];
  return {
    now: () => time,
    wait: (ms: number) =>
      new Promise<void>((wake) => {
        sleepers.push({ wakeAt: time + ms, wake });
      }),
    async runUntilDone(work: Promise<unknown>): Promise<void> {
      let isDone = false;
      void work.finally(() => {
        isDone = true;
      });
      for (;;) {
        for (let i = 0; i < 50; i++) await Promise.resolve();
        if (isDone) return;
        sleepers.sort((a, b) => a.wakeAt - b.wakeAt);
        const next = sleepers.shift();
        if (!next) throw new Error('everybody waits, and nobody for a time');
        time = Math.max(time, next.wakeAt);
        next.wake();
      }
    },
  };
}

function countMaxWithin(times: readonly number[], ms: number): number {
  return Math.max(...times.map((start) => times.filter((time) => time >= start && time < start + ms).length));
}

describe('the rate', () => {
  it.each([
    [3, 0],
    [3, 250],
    [1, 0],
    [10, 40],
    [2.5, 90],
  ])('is never over %d in any second, with answers after %d ms', async (perSecond, latencyMs) => {
    const clock = fakeTime();
    const bucket = createTokenBucket({ perSecond, now: clock.now, wait: clock.wait });
    const requestTimes: number[] = [];
    await clock.runUntilDone(
      Promise.all(
        Array.from({ length: 30 }, (_, i) =>
          bucket.run(async () => {
            await clock.wait(i % 2 === 0 ? latencyMs / 2 : latencyMs); // simulates the duration of the request
            requestTimes.push(clock.now());
          }),
        ),
      ),
    );
    expect(requestTimes).toHaveLength(30);
    expect(countMaxWithin(requestTimes, 1_000)).toBeLessThanOrEqual(Math.floor(perSecond));
    expect(clock.now()).toBeLessThan((30 / Math.floor(perSecond)) * (1_000 + latencyMs) + 1_000);
  });

  it('below one per second is one in a longer time', async () => {
    const clock = fakeTime();
    const bucket = createTokenBucket({ perSecond: 0.5, now: clock.now, wait: clock.wait });
    const requestTimes: number[] = [];
    await clock.runUntilDone(
      Promise.all(
        [1, 2, 3].map(async () => {
          await bucket.take();
          requestTimes.push(clock.now());
        }),
      ),
    );
    expect(requestTimes).toEqual([0, 2_000, 4_000]);
  });

  it('follows a setting that changes', async () => {
    const clock = fakeTime();
    let rate = 1;
    const bucket = createTokenBucket({ perSecond: () => rate, now: clock.now, wait: clock.wait });
    await clock.runUntilDone(bucket.take());
    rate = 3;
    await clock.runUntilDone(Promise.all([bucket.take(), bucket.take()]));
    expect(clock.now()).toBe(0);
  });

  it('stops for as long as the service says', async () => {
    const clock = fakeTime();
    const bucket = createTokenBucket({ perSecond: 3, now: clock.now, wait: clock.wait });
    bucket.pause(5_000);
    await clock.runUntilDone(bucket.take());
    expect(clock.now()).toBe(5_000);
  });
});

describe('turns', () => {
  it('are in the order of the requests, and failures return theirs', async () => {
    const clock = fakeTime();
    const bucket = createTokenBucket({ perSecond: 1, now: clock.now, wait: clock.wait });
    const order: number[] = [];
    const allResults = Promise.allSettled(
      [1, 2, 3].map((n) =>
        bucket.run(() => {
          order.push(n);
          return n === 1 ? Promise.reject(new Error('no')) : Promise.resolve(n);
        }),
      ),
    );
    await clock.runUntilDone(allResults);
    expect(order).toEqual([1, 2, 3]);
    expect((await allResults).map((result) => result.status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  });

  it('are not kept for aborted requests', async () => {
    const clock = fakeTime();
    const bucket = createTokenBucket({ perSecond: 1, now: clock.now, wait: clock.wait });
    await clock.runUntilDone(bucket.take());
    const controller = new AbortController();
    const abortedRequest = bucket.take(controller.signal);
    controller.abort(new Error('left'));
    const nextRequest = bucket.take();
    await clock.runUntilDone(nextRequest);
    await expect(abortedRequest).rejects.toThrow('left');
    expect(clock.now()).toBe(1_000);
  });
});
