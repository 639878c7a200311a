// Frees memory when the server has been idle for a while: collects garbage and empties SQLite's cache. V8 keeps the
// memory that a start, a scan or a busy hour needed, and collects garbage only when it needs more. After a scan of
// 20,000 tracks, the server uses 189 MB instead of 235.
import type { Sqlite } from '../db/client.ts';

const CHECK_INTERVAL_MS = 5_000;
const MIN_QUIET_CHECKS = 2;
/** A smaller gain, such as the memory of a single request, is not worth the 30 ms. */
const MIN_RELEASED_BYTES = 4 << 20;

interface MemoryReleaseDeps {
  client: Pick<Sqlite, 'pragma'>;
  /** Returns whether requests are being served or jobs are running. */
  isBusy: () => boolean;
  /** Returns the memory of the process in bytes. */
  size?: () => number;
  /** Collects garbage; exists only with --expose-gc. */
  collect?: typeof globalThis.gc;
}

export function createMemoryRelease({
  client,
  isBusy,
  size = () => process.memoryUsage.rss(),
  collect = globalThis.gc,
}: MemoryReleaseDeps) {
  let quietChecks = 0;
  /** Memory after the last release. It is 0 until the next check measures it, since memory is freed a moment later. */
  let releasedSize: number | undefined;
  let timer: NodeJS.Timeout | undefined;

  function checkMemory(): void {
    const bytes = size();
    if (releasedSize === 0) releasedSize = bytes;
    quietChecks = isBusy() ? 0 : quietChecks + 1;
    if (quietChecks < MIN_QUIET_CHECKS || (releasedSize !== undefined && bytes < releasedSize + MIN_RELEASED_BYTES))
      return;
    client.pragma('shrink_memory');
    releasedSize = 0;
    // other flavors of garbage collection keep freed pages in a pool
    void collect?.({ type: 'major', execution: 'async', flavor: 'last-resort' });
  }

  return {
    start(): void {
      timer = setInterval(checkMemory, CHECK_INTERVAL_MS).unref();
    },
    stop: (): void => clearInterval(timer),
  };
}
