// Keeps the write-ahead log short. By default SQLite checkpoints inside a commit, on the thread that serves requests,
// and flushes the disk twice: that takes tens of milliseconds, again and again during a scan. Here a separate thread
// checkpoints while the scan writes; a scan waits for it only when the log has grown long.
import { messageOf } from '../errors.ts';
import type { Log } from '../log/log.ts';
import type { Sqlite } from './client.ts';
import type { CheckpointAnswer } from './checkpoint-worker.ts';
import { createReaderThread } from './reader-thread.ts';

const PAGES_PER_MB = 256;
/**
 * While the log grows, this many pages are moved together, because a page that is written repeatedly is then moved
 * once.
 */
const MIN_PAGES_TO_MOVE = 16 * PAGES_PER_MB;
const MIN_PAGES_TO_MOVE_AT_REST = 4 * PAGES_PER_MB;
/** A log with more pages than this is emptied before a scan continues. */
const MAX_PAGES_WITHOUT_WAIT = 32 * PAGES_PER_MB;
/**
 * The log size at which SQLite itself checkpoints, in case the thread is not running. While somebody reads, an emptied
 * log still grows. With 64 MB, this checkpoint happened in the commits of a scan, and took up to 60 ms.
 */
const AUTO_CHECKPOINT_PAGES = 256 * PAGES_PER_MB;
const CHECK_INTERVAL_MS = 500;

interface CheckpointDeps {
  client: Sqlite;
  databasePath: string;
  workerUrl: URL;
  log: Log;
}

export type Checkpoints = ReturnType<typeof createCheckpoints>;

export function createCheckpoints({ client, databasePath, workerUrl, log }: CheckpointDeps) {
  const thread = createReaderThread<'checkpoint', CheckpointAnswer>({
    workerUrl,
    databasePath,
    failure: 'The write-ahead log could not be emptied',
  });
  let moving: Promise<void> | undefined;
  let waitedAt = 0;
  client.pragma(`wal_autocheckpoint = ${AUTO_CHECKPOINT_PAGES}`);

  /** Returns the number of pages in the log, and how many of them are not in the database yet. */
  function readLogState(): { length: number; pagesLeft: number } {
    const [state] = client.pragma('wal_checkpoint(NOOP)') as [{ log: number; checkpointed: number }];
    return { length: state.log, pagesLeft: state.log - state.checkpointed };
  }

  function movePages(): Promise<void> {
    moving ??= thread
      .ask('checkpoint')
      .then(
        () => undefined,
        (error: unknown) => log.warn({ reason: messageOf(error) }, 'the write-ahead log was not emptied'),
      )
      .finally(() => {
        moving = undefined;
      });
    return moving;
  }

  let lastLength = 0;
  const timer = setInterval(() => {
    const { length, pagesLeft } = readLogState();
    if (pagesLeft >= (length === lastLength ? MIN_PAGES_TO_MOVE_AT_REST : MIN_PAGES_TO_MOVE)) void movePages();
    lastLength = length;
  }, CHECK_INTERVAL_MS).unref();

  return {
    /** Resolves when the log is short enough to go on. Called by long writers between two transactions. */
    async relieve(): Promise<void> {
      const { length, pagesLeft } = readLogState();
      if (pagesLeft >= MIN_PAGES_TO_MOVE) void movePages();
      if (length < waitedAt) waitedAt = 0; // the log has been restarted from its beginning
      if (length < waitedAt + MAX_PAGES_WITHOUT_WAIT) return;
      // a reader may keep the log from shrinking for a long time, so the next wait comes only after as many pages again
      waitedAt = length;
      // a checkpoint that was already running may have missed the last pages, so another one may follow
      await movePages();
      if (readLogState().pagesLeft > 0) await movePages();
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await thread.close();
    },
  };
}
