// Reloads data that the server reports as changed, which happens all the time during a scan.

/** After this time a reload counts as lost, because a connection that slept may never answer. */
const LOST_AFTER_MS = 30_000;

interface Refresher {
  /** Schedules a reload for as soon as the rate limit allows. */
  soon(): void;
  cancel(): void;
}

/**
 * Calls `reload` at most every `everyMs`, and not while its last promise is pending: a new request would replace the
 * running one, and on a slow connection none would ever end.
 */
export function createRefresher(everyMs: number, reload: () => Promise<unknown>): Refresher {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let begunMs = -Infinity;
  let current: symbol | undefined;
  let isRequested = false;
  let isCancelled = false;

  const start = async (): Promise<void> => {
    const ownRun = Symbol();
    [timer, current, isRequested, begunMs] = [undefined, ownRun, false, Date.now()];
    await reload().catch(() => undefined); // the part of the page that uses the data displays the error
    if (current !== ownRun) return;
    current = undefined;
    clearTimeout(timer);
    timer = undefined;
    if (isRequested) soon();
  };
  const soon = (): void => {
    if (isCancelled) return;
    isRequested = true;
    const waitMs = current ? LOST_AFTER_MS : everyMs;
    timer ??= setTimeout(() => void start(), Math.max(0, begunMs + waitMs - Date.now()));
  };
  return {
    soon,
    cancel() {
      isCancelled = true;
      clearTimeout(timer);
    },
  };
}
