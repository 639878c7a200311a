// A handler may report after every file; what it says is written a few times a second.
import type { Progress } from './queries.ts';

const EVERY_MS = 250;

/** The first report is written at once, later ones at most every 250 ms, the latest of them wins. */
export function createProgressWriter(write: (progress: Progress) => void) {
  let latest: Progress | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  function flush(): void {
    if (!latest) return;
    const progress = latest;
    latest = undefined;
    write(progress);
  }

  function tick(): void {
    timer = undefined;
    if (!latest) return;
    flush();
    timer = setTimeout(tick, EVERY_MS).unref();
  }

  return {
    report(done: number, total: number | null, message?: string): void {
      if (closed) return; // a handler that goes on after its end
      latest = { done: Math.trunc(done), total: total === null ? null : Math.trunc(total), message: message ?? null };
      if (!timer) tick();
    },
    /** Writes what is left. */
    close(): void {
      if (closed) return;
      closed = true;
      clearTimeout(timer);
      flush();
    },
  };
}
