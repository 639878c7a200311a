// Leases keep stored objects from being deleted before they are referenced. Audio is stored under its content hash, so
// an upload or a scan may find its object in storage already; until it has written its row, deleting the last other
// track with that object must not delete the object.

export type Leases = ReturnType<typeof createLeases>;

export function createLeases() {
  const leased = new Map<string, number>();
  let leasedAll = 0;
  const deleting = new Map<string, Promise<void>>();
  /** Deletions postponed until the lease ends. */
  const waiting = new Map<string, () => Promise<void>>();

  const isLeased = (key: string): boolean => leasedAll > 0 || leased.has(key);

  async function deleteWhenFree(key: string, remove: () => Promise<void>): Promise<void> {
    while (deleting.has(key)) await deleting.get(key);
    if (isLeased(key)) return void waiting.set(key, remove);
    const done = remove(); // in the same turn as the check above
    deleting.set(
      key,
      done.catch(() => undefined),
    );
    try {
      await done;
    } finally {
      deleting.delete(key);
    }
  }

  async function deleteWaiting(): Promise<void> {
    for (const [key, remove] of waiting) {
      if (isLeased(key) || !waiting.delete(key)) continue;
      await deleteWhenFree(key, remove);
    }
  }

  return {
    /** Keeps the object from being deleted during `work`; first waits for a deletion that has begun. */
    async lease<T>(key: string, work: () => Promise<T>): Promise<T> {
      leased.set(key, (leased.get(key) ?? 0) + 1);
      try {
        await deleting.get(key);
        return await work();
      } finally {
        const left = (leased.get(key) ?? 1) - 1;
        if (left > 0) leased.set(key, left);
        else leased.delete(key);
        await deleteWaiting();
      }
    },

    /** For work that does not know in advance which objects it uses. */
    async leaseAll<T>(work: () => Promise<T>): Promise<T> {
      leasedAll++;
      try {
        await Promise.all(deleting.values());
        return await work();
      } finally {
        leasedAll--;
        await deleteWaiting();
      }
    },

    /**
     * Calls `remove` now, or when the last lease ends; in that case it returns at once. `remove` has to check whether
     * the object is referenced, since that may have changed.
     */
    deleteWhenFree,
  };
}
