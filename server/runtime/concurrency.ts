// Limits how many pieces of work run at the same time.
import { createTurnQueue } from './time-slices.ts';

/** Works on the items of a source, at most `limit` at a time. Throws the first error after running work has ended. */
export async function forEachConcurrently<T>(
  source: AsyncIterable<T> | Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let runningCount = 0;
  let onEnd: (() => void) | undefined;
  let failure: { error: unknown } | undefined;
  const waitForFewerThan = async (count: number): Promise<void> => {
    while (runningCount >= count)
      await new Promise<void>((resolve) => {
        onEnd = resolve;
      });
  };
  try {
    for await (const item of source) {
      runningCount++;
      void work(item)
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => {
          runningCount--;
          onEnd?.();
        });
      await waitForFewerThan(limit);
      if (failure) break;
    }
  } finally {
    await waitForFewerThan(1);
  }
  if (failure) throw failure.error;
}

/**
 * Runs work, at most `limit` pieces at a time. Callers (see time-slices.ts) take turns, and each caller's work runs in
 * order of arrival, so that a caller with much work delays others by one piece only.
 */
export function createSlots(limit: number) {
  const turnQueue = createTurnQueue();
  let runningCount = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (runningCount >= limit) await new Promise<void>((resolve) => turnQueue.add(resolve));
    else runningCount++;
    try {
      return await work();
    } finally {
      const startNext = turnQueue.take();
      if (startNext) startNext(); // the slot passes to the next piece of work
      else runningCount--;
    }
  };
}
