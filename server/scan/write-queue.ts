// Ops of a scan wait here to be written; between two batches the event loop serves requests.
import { whenUnlocked } from '../db/locked.ts';
import type { ScanOp } from './decide.ts';
import type { WriteBatch } from './writer.ts';

/** Files are not read further ahead of those that are written. */
const QUEUE_FILES = 500;

interface WriteQueueDeps {
  writeBatch: WriteBatch;
  batchMs: () => number;
  /** False when the scan was cancelled: a locked database is not waited for any more. */
  isWanted: () => boolean;
  /** Resolves when the database's log is short enough to write on. */
  relieve: () => Promise<void>;
  onCommit: () => void;
}

export function createWriteQueue({ writeBatch, batchMs, isWanted, relieve, onCommit }: WriteQueueDeps) {
  let ops: ScanOp[] = [];
  let head = 0;
  let running: Promise<void> | undefined;
  let failure: { error: unknown } | undefined;
  const waiters: (() => void)[] = [];

  async function run(): Promise<void> {
    while (head < ops.length) {
      head += await whenUnlocked(() => writeBatch(ops, head, batchMs()), isWanted);
      if (head > QUEUE_FILES) [ops, head] = [ops.slice(head), 0];
      onCommit();
      for (const wake of waiters.splice(0)) wake();
      await relieve();
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    [ops, head] = [[], 0];
  }

  const start = (): void => {
    running ??= run()
      .catch((error: unknown) => {
        failure ??= { error };
        [ops, head] = [[], 0];
      })
      .finally(() => {
        running = undefined;
        for (const wake of waiters.splice(0)) wake();
      });
  };

  const check = (): void => {
    if (failure) throw failure.error;
  };

  return {
    push(more: ScanOp[]): void {
      for (const op of more) ops.push(op);
      if (ops.length > head) start();
    },
    /** Resolves when at most QUEUE_FILES ops wait. Throws what the database threw. */
    async hasRoom(): Promise<void> {
      while (!failure && ops.length - head > QUEUE_FILES)
        await new Promise<void>((resolve) => {
          waiters.push(resolve);
        });
      check();
    },
    /** Resolves when all ops are written. Throws what the database threw. */
    async empty(): Promise<void> {
      while (running) await running;
      check();
    },
  };
}
