// Who is about to use a stored object. Audio is named by its content, so an upload or a scan may find its object there
// already; until its row is written, the deletion of the last track that had the object must not take it away.

export type Leases = ReturnType<typeof createLeases>;

export function createLeases() {
  const claimed = new Map<string, number>();
  let claimedAll = 0;
  const deleting = new Map<string, Promise<void>>();
  /** Put off until the claim is dropped. */
  const waiting = new Map<string, () => Promise<void>>();

  const isClaimed = (key: string): boolean => claimedAll > 0 || claimed.has(key);

  async function deleteWhenFree(key: string, remove: () => Promise<void>): Promise<void> {
    while (deleting.has(key)) await deleting.get(key);
    if (isClaimed(key)) return void waiting.set(key, remove);
    const done = remove(); // begins in the same turn as the question above
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
      if (isClaimed(key) || !waiting.delete(key)) continue;
      await deleteWhenFree(key, remove);
    }
  }

  return {
    /** Does the work while nobody deletes the object; waits for a deletion that has begun. */
    async lease<T>(key: string, work: () => Promise<T>): Promise<T> {
      claimed.set(key, (claimed.get(key) ?? 0) + 1);
      try {
        await deleting.get(key);
        return await work();
      } finally {
        const left = (claimed.get(key) ?? 1) - 1;
        if (left > 0) claimed.set(key, left);
        else claimed.delete(key);
        await deleteWaiting();
      }
    },

    /** For work that cannot say beforehand which objects it will use. */
    async leaseAll<T>(work: () => Promise<T>): Promise<T> {
      claimedAll++;
      try {
        await Promise.all(deleting.values());
        return await work();
      } finally {
        claimedAll--;
        await deleteWaiting();
      }
    },

    /**
     * Runs `remove` now, or when the last claim is dropped; returns at once then. `remove` asks at its beginning
     * whether the object is used.
     */
    deleteWhenFree,
  };
}
