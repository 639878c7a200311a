// Reloads what the server says has changed, during a scan all the time.

export interface Refresher {
  /** Reloads, as soon as it may. */
  soon(): void;
  cancel(): void;
}

/**
 * Calls `reload` at most every `everyMs`, and never while its last promise is open: a new request for the same takes
 * the place of the one under way, so that on a slow connection none would ever end.
 */
export function createRefresher(everyMs: number, reload: () => Promise<unknown>): Refresher {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastMs = -Infinity;
  let isWanted = false;
  let isLoading = false;
  let isCancelled = false;

  const start = async (): Promise<void> => {
    timer = undefined;
    lastMs = Date.now();
    isWanted = false;
    isLoading = true;
    await reload().catch(() => undefined); // what asked for it shows the error
    isLoading = false;
    if (isWanted) soon();
  };
  const soon = (): void => {
    isWanted = true;
    if (isLoading || isCancelled) return;
    timer ??= setTimeout(() => void start(), Math.max(0, lastMs + everyMs - Date.now()));
  };
  return {
    soon,
    cancel() {
      isCancelled = true;
      clearTimeout(timer);
    },
  };
}
