export type Locks<K> = ReturnType<typeof createLocks<K>>;

/** Creates locks that run the work of each key one after another. */
export function createLocks<K>() {
  const tails = new Map<K, Promise<unknown>>();
  return async <T>(key: K, work: () => Promise<T>): Promise<T> => {
    const previousWork = tails.get(key);
    const result = previousWork ? previousWork.then(work, work) : work();
    const tail = result.catch(() => undefined);
    tails.set(key, tail);
    try {
      return await result;
    } finally {
      if (tails.get(key) === tail) tails.delete(key);
    }
  };
}

/**
 * Works on at most `limit` items at a time. After an error, or when the signal is aborted, no more items are started;
 * the error is thrown when the running work has ended.
 */
export async function forEachWithSignal<T>(
  items: readonly T[],
  signal: AbortSignal,
  limit: number,
  work: (item: T, stop: AbortSignal) => Promise<void>,
): Promise<void> {
  const remainingItems = items.values();
  const failure = new AbortController();
  const stop = AbortSignal.any([signal, failure.signal]);
  const workOnItems = async (): Promise<void> => {
    for (const item of remainingItems) {
      if (stop.aborted) return;
      await work(item, stop);
    }
  };
  await Promise.all(Array.from({ length: limit }, () => workOnItems().catch((error: unknown) => failure.abort(error))));
  stop.throwIfAborted();
}
