// So many at once.
import { createTurns } from './time-slices.ts';

/** Works on what a source gives. The first error ends it, after the work under way has ended. */
export async function eachAtOnce<T>(
  source: AsyncIterable<T> | Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let running = 0;
  let onEnd: (() => void) | undefined;
  let failure: { error: unknown } | undefined;
  const fewerThan = async (most: number): Promise<void> => {
    while (running >= most)
      await new Promise<void>((resolve) => {
        onEnd = resolve;
      });
  };
  try {
    for await (const item of source) {
      running++;
      void work(item)
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => {
          running--;
          onEnd?.();
        });
      await fewerThan(atOnce);
      if (failure) break;
    }
  } finally {
    await fewerThan(1);
  }
  if (failure) throw failure.error;
}

/**
 * Runs work, at most `limit` at a time. Callers (see time-slices.ts) take turns, each with its work in the order in
 * which it comes: whoever asks for much keeps others waiting for one piece of it.
 */
export function createSlots(limit: number) {
  const queues = createTurns();
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= limit) await new Promise<void>((resolve) => queues.add(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = queues.take();
      if (next) next(); // its slot is handed on
      else running--;
    }
  };
}
