// Keeps the write-ahead log short. By default SQLite checkpoints inside a commit, on the thread that serves requests,
// and flushes the disk twice: tens of milliseconds, again and again during a scan. Here a thread of its own checkpoints
// beside the writing; a scan waits for it only when the log has grown long.
import { messageOf } from '../errors.ts';
import type { Log } from '../log/log.ts';
import type { Sqlite } from './client.ts';
import type { CheckpointAnswer } from './checkpoint-worker.ts';
import { createReaderThread } from './reader-thread.ts';

const PAGES_PER_MB = 256;
/** So much is moved at a time while it grows: a page that was written again and again is moved once. */
const WORTH_MOVING = 16 * PAGES_PER_MB;
const WORTH_MOVING_AT_REST = 4 * PAGES_PER_MB;
/** A log of this length is emptied before a scan goes on. */
const LONG = 32 * PAGES_PER_MB;
/**
 * SQLite's own checkpoint, for when the thread is not running. While somebody reads, a log that was emptied is not
 * begun anew but grows: at 64 MB this checkpoint came into the commits of a scan, and took up to 60 ms of them.
 */
const LONGEST = 256 * PAGES_PER_MB;
const LOOK_EVERY_MS = 500;

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
  client.pragma(`wal_autocheckpoint = ${LONGEST}`);

  /** Pages in the log, and how many of them are not in the database yet. */
  function look(): { length: number; left: number } {
    const [state] = client.pragma('wal_checkpoint(NOOP)') as [{ log: number; checkpointed: number }];
    return { length: state.log, left: state.log - state.checkpointed };
  }

  function move(): Promise<void> {
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

  let seen = 0;
  const timer = setInterval(() => {
    const { length, left } = look();
    if (left >= (length === seen ? WORTH_MOVING_AT_REST : WORTH_MOVING)) void move();
    seen = length;
  }, LOOK_EVERY_MS).unref();

  return {
    /** For long writers, between two transactions: resolves when the log is short enough to go on. */
    async relieve(): Promise<void> {
      const { length, left } = look();
      if (left >= WORTH_MOVING) void move();
      if (length < waitedAt) waitedAt = 0; // it was begun anew
      if (length < waitedAt + LONG) return;
      waitedAt = length; // a reader may need the old pages for a long time: the next wait is as far away
      await move(); // one that was under way has not seen the last pages
      if (look().left > 0) await move();
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await thread.close();
    },
  };
}
