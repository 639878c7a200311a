// Leases keep stored objects from being deleted before they are referenced. Audio is stored under its content hash, so
// an upload or a scan may find its object already in storage; until its row is written, deleting the last other track
// with that object must not delete the object.

export type Leases = ReturnType<typeof createLeases>;

export function createLeases() {
  const leaseCounts = new Map<string, number>();
  let fullLeaseCount = 0;
  const deletions = new Map<string, Promise<void>>();
  /** Deletions postponed until the lease ends. */
  const postponedDeletions = new Map<string, () => Promise<void>>();

  const isLeased = (key: string): boolean => fullLeaseCount > 0 || leaseCounts.has(key);

  async function deleteWhenFree(key: string, remove: () => Promise<void>): Promise<void> {
    while (deletions.has(key)) await deletions.get(key);
    if (isLeased(key)) return void postponedDeletions.set(key, remove);
    const deletion = remove(); // runs in the same turn of the event loop as the check above
    deletions.set(
      key,
      deletion.catch(() => undefined),
    );
    try {
      await deletion;
    } finally {
      deletions.delete(key);
    }
  }

  async function runPostponedDeletions(): Promise<void> {
    for (const [key, remove] of postponedDeletions) {
      if (isLeased(key) || !postponedDeletions.delete(key)) continue;
      await deleteWhenFree(key, remove);
    }
  }

  return {
    /** Keeps the object from being deleted during `work`; first waits for a deletion that has begun. */
    async lease<T>(key: string, work: () => Promise<T>): Promise<T> {
      leaseCounts.set(key, (leaseCounts.get(key) ?? 0) + 1);
      try {
        await deletions.get(key);
        return await work();
      } finally {
        const remaining = (leaseCounts.get(key) ?? 1) - 1;
        if (remaining > 0) leaseCounts.set(key, remaining);
        else leaseCounts.delete(key);
        await runPostponedDeletions();
      }
    },

    /** Keeps all objects from being deleted, for work that does not know in advance which objects it uses. */
    async leaseAll<T>(work: () => Promise<T>): Promise<T> {
      fullLeaseCount++;
      try {
        await Promise.all(deletions.values());
        return await work();
      } finally {
        fullLeaseCount--;
        await runPostponedDeletions();
      }
    },

    /**
     * Calls `remove` now, or when the last lease of the object ends; in the latter case it returns at once. `remove`
     * has to check again whether the object is referenced.
     */
    deleteWhenFree,
  };
}
