export type Locks<K> = ReturnType<typeof createLocks<K>>;

/** Runs work one after another per key. */
export function createLocks<K>() {
  const tails = new Map<K, Promise<unknown>>();
  return async <T>(key: K, work: () => Promise<T>): Promise<T> => {
    const before = tails.get(key);
    const result = before ? before.then(work, work) : work();
    const tail = result.catch(() => undefined);
    tails.set(key, tail);
    try {
      return await result;
    } finally {
      if (tails.get(key) === tail) tails.delete(key);
    }
  };
}

/** Works on `atOnce` items at a time. After an error no more are started; it is thrown when those in progress ended. */
export async function workTogether<T>(
  items: readonly T[],
  signal: AbortSignal,
  atOnce: number,
  work: (item: T, stop: AbortSignal) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  const go = async (): Promise<void> => {
    for (const item of waiting) {
      if (stop.aborted) return;
      await work(item, stop);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, () => go().catch((error: unknown) => failed.abort(error))));
  stop.throwIfAborted();
}
