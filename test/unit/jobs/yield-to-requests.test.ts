// How background jobs yield to requests, with a simulated clock.
import { describe, expect, it } from 'vitest';
import { createYieldToRequests } from '../../../server/jobs/yield-to-requests.ts';

function openThread() {
  const thread = { worked: 0, isServing: false, rests: [] as number[], wake: (): void => undefined };
  const yieldToRequests = createYieldToRequests({
    isServing: () => thread.isServing,
    workedMs: () => thread.worked,
    rest: (ms) =>
      new Promise<void>((resolve) => {
        thread.rests.push(ms);
        thread.wake = resolve;
      }),
  });
  /** A job with pieces of so many ms, until it has to wait. */
  const work = async (pieces: number, ms: number): Promise<void> => {
    for (let piece = 0; piece < pieces; piece++) {
      thread.worked += ms;
      await yieldToRequests();
    }
  };
  return { thread, yieldToRequests, work };
}
const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

describe('background work', () => {
  it('runs without a pause until its turn is over', async () => {
    const { thread, work } = openThread();
    await work(9, 1);
    expect(thread.rests).toEqual([]);
  });

  it.each([
    ['yields after a turn, but not longer without requests', false, 1, 0],
    ['rests as long as it worked while people are served', true, 1, 10],
    ['counts a long piece in full', true, 40, 40],
    ['rests a tenth of a second at most', true, 5_000, 100],
  ])('%s', async (_, isServing, pieceMs, rest) => {
    const { thread, work } = openThread();
    thread.isServing = isServing;
    const done = work(10, pieceMs);
    await settled();
    expect(thread.rests).toEqual([rest]);
    for (let wakes = 0; wakes < 10; wakes++) {
      thread.wake();
      await settled();
    }
    await done;
  });

  it('starts a new turn after each pause: the work of others does not count', async () => {
    const { thread, work } = openThread();
    thread.isServing = true;
    const done = work(29, 1);
    for (let turns = 1; turns <= 2; turns++) {
      await settled();
      expect(thread.rests).toEqual(Array.from({ length: turns }, () => 10));
      thread.worked += 500; // a request
      thread.wake();
    }
    await done;
    expect(thread.rests).toHaveLength(2);
  });

  it('of several jobs shares turns: while one pauses, so do the others', async () => {
    const { thread, work, yieldToRequests } = openThread();
    thread.isServing = true;
    const jobs = Promise.all([work(5, 2), work(5, 2)]);
    await settled();
    expect(thread.rests).toEqual([10]);
    expect(yieldToRequests()).toBeInstanceOf(Promise); // a new one waits too
    thread.wake();
    await settled();
    thread.wake();
    await jobs;
    expect(thread.rests.length).toBeLessThanOrEqual(2);
  });
});
