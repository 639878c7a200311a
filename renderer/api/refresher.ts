// Reloads what the server says has changed, during a scan all the time.

/** After that a reload counts as lost: a connection that slept may never answer. */
const LOST_AFTER_MS = 30_000;

interface Refresher {
  /** Reloads as soon as the rate limit allows. */
  soon(): void;
  cancel(): void;
}

/**
 * Calls `reload` at most every `everyMs`, and not while its last promise is open: a new request for the same takes the
 * place of the one under way, so that on a slow connection none would ever end.
 */
export function createRefresher(everyMs: number, reload: () => Promise<unknown>): Refresher {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let begunMs = -Infinity;
  let current: symbol | undefined;
  let isWanted = false;
  let isCancelled = false;

  const start = async (): Promise<void> => {
    const own = Symbol();
    [timer, current, isWanted, begunMs] = [undefined, own, false, Date.now()];
    await reload().catch(() => undefined); // what asked for it shows the error
    if (current !== own) return;
    current = undefined;
    clearTimeout(timer);
    timer = undefined;
    if (isWanted) soon();
  };
  const soon = (): void => {
    if (isCancelled) return;
    isWanted = true;
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
