// Collects the heaps and empties SQLite's cache when nobody has asked for anything for a while: V8 keeps what a start,
// a scan or a busy hour needed, and collects only when more is asked for. A server that has scanned 20,000 tracks has
// 189 MB afterwards instead of 235.
import type { Sqlite } from '../db/client.ts';

const CHECK_INTERVAL_MS = 5_000;
const MIN_QUIET_CHECKS = 2;
/** Less memory, such as that of a single request, is not worth the 30 ms. */
const MIN_RELEASED_BYTES = 4 << 20;

interface MemoryReleaseDeps {
  client: Pick<Sqlite, 'pragma'>;
  /** Requests are answered, or jobs run. */
  isBusy: () => boolean;
  /** Bytes in memory. */
  size?: () => number;
  /** There with --expose-gc. */
  collect?: typeof globalThis.gc;
}

export function createMemoryRelease({
  client,
  isBusy,
  size = () => process.memoryUsage.rss(),
  collect = globalThis.gc,
}: MemoryReleaseDeps) {
  let quietChecks = 0;
  /** Size after the last release; 0: measured at the next check, since memory is freed a moment later. */
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
    void collect?.({ type: 'major', execution: 'async', flavor: 'last-resort' }); // others keep freed pages in a pool
  }

  return {
    start(): void {
      timer = setInterval(checkMemory, CHECK_INTERVAL_MS).unref();
    },
    stop: (): void => clearInterval(timer),
  };
}
