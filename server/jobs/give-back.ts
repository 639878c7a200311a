// Gives memory back when nobody has asked for anything for a while. V8 keeps what a start, a scan or a busy hour needed
// and collects only when more is asked for, SQLite keeps the pages that it has read, and the system's library what both
// have freed: half of a server that was busy.
import type { Sqlite } from '../db/client.ts';
import { returnFreedMemory } from '../db/freed-memory.ts';

const LOOK_EVERY_MS = 5_000;
const QUIET_LOOKS = 2;
/** What a single request leaves behind is not worth the 30 ms. */
const WORTH_BYTES = 4 << 20;

interface GiveBackDeps {
  client: Sqlite;
  /** Requests are answered, or jobs run. */
  isBusy: () => boolean;
  /** Bytes in memory. */
  size?: () => number;
  /** There with --expose-gc. */
  collect?: typeof globalThis.gc;
  /** Returns to the system what was freed. */
  trim?: (client: Sqlite) => unknown;
}

export function createGiveBack({
  client,
  isBusy,
  size = () => process.memoryUsage.rss(),
  collect = globalThis.gc,
  trim = returnFreedMemory,
}: GiveBackDeps) {
  let quiet = 0;
  /** After the last time; 0: measured at the next look, since the memory goes a moment later. */
  let kept: number | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const bytes = size();
    if (kept === 0) kept = bytes;
    quiet = isBusy() ? 0 : quiet + 1;
    if (quiet < QUIET_LOOKS || (kept !== undefined && bytes < kept + WORTH_BYTES)) return;
    client.pragma('shrink_memory');
    kept = 0;
    await collect?.({ type: 'major', execution: 'async', flavor: 'last-resort' }); // others keep freed pages in a pool
    if (client.open) trim(client);
  }

  return {
    start(): void {
      timer = setInterval(() => void look(), LOOK_EVERY_MS).unref();
    },
    stop: (): void => clearInterval(timer),
  };
}
