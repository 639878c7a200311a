// Stores the progress of a job a few times a second, because handlers may report progress after every file.
import type { Progress } from './queries.ts';

const WRITE_INTERVAL_MS = 250;

/**
 * Returns a writer that stores the first report at once and later ones at most every 250 ms; only the latest report is
 * stored.
 */
export function createProgressWriter(write: (progress: Progress) => void) {
  let latestProgress: Progress | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function flush(): void {
    if (!latestProgress) return;
    const progress = latestProgress;
    latestProgress = undefined;
    write(progress);
  }

  function tick(): void {
    timer = undefined;
    if (!latestProgress) return;
    flush();
    timer = setTimeout(tick, WRITE_INTERVAL_MS).unref();
  }

  return {
    report(done: number, total: number | null, message?: string): void {
      if (isClosed) return; // a handler may report progress after its end
      latestProgress = {
        done: Math.trunc(done),
        total: total === null ? null : Math.trunc(total),
        message: message ?? null,
      };
      if (!timer) tick();
    },
    /** Stores the last report. */
    close(): void {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(timer);
      flush();
    },
  };
}
