// Queues the operations of a scan until they are written; between two batches the event loop serves requests.
import { whenUnlocked } from '../../db/wait-for-unlock.ts';
import type { ScanOp } from '../write/decide.ts';
import type { WriteBatch } from '../write/writer.ts';

/** Reading stops when this many operations wait to be written. */
const MAX_QUEUED_OPS = 500;

interface WriteQueueDeps {
  writeBatch: WriteBatch;
  batchMs: () => number;
  /** Returns false when the scan was cancelled: a locked database is then not awaited any more. */
  isScanActive: () => boolean;
  /** Resolves when the database's write-ahead log is short enough to write more. */
  relieve: () => Promise<void>;
  onCommit: () => void;
}

export function createWriteQueue({ writeBatch, batchMs, isScanActive, relieve, onCommit }: WriteQueueDeps) {
  let ops: ScanOp[] = [];
  let head = 0;
  let running: Promise<void> | undefined;
  let writeFailure: { error: unknown } | undefined;
  const waiters: (() => void)[] = [];

  async function writeQueuedRows(): Promise<void> {
    while (head < ops.length) {
      head += await whenUnlocked(() => writeBatch(ops, head, batchMs()), isScanActive);
      if (head > MAX_QUEUED_OPS) [ops, head] = [ops.slice(head), 0];
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
    running ??= writeQueuedRows()
      .catch((error: unknown) => {
        writeFailure ??= { error };
        [ops, head] = [[], 0];
      })
      .finally(() => {
        running = undefined;
        for (const wake of waiters.splice(0)) wake();
      });
  };

  const check = (): void => {
    if (writeFailure) throw writeFailure.error;
  };

  return {
    push(newOps: ScanOp[]): void {
      for (const op of newOps) ops.push(op);
      if (ops.length > head) start();
    },
    /** Resolves when at most MAX_QUEUED_OPS operations wait. Throws the error of a failed write. */
    async hasRoom(): Promise<void> {
      while (!writeFailure && ops.length - head > MAX_QUEUED_OPS)
        await new Promise<void>((resolve) => {
          waiters.push(resolve);
        });
      check();
    },
    /** Resolves when all operations are written. Throws the error of a failed write. */
    async drain(): Promise<void> {
      while (running) await running;
      check();
    },
  };
}
