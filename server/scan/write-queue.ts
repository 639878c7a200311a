// Rows of a scan wait here for their turn; between two batches the event loop serves people.
import type { ScanOp } from './writer.ts';

/** More rows are not read ahead of those that are written. */
export const QUEUE_FILES = 500;

export interface WriteQueueDeps {
  /** Writes ops from `from` on for at most `limitMs`; gives how many. */
  writeBatch: (queue: ScanOp[], from: number, limitMs: number) => number;
  batchMs: () => number;
  /** Resolves when the database's log is short enough to write on. */
  relieve: () => Promise<void>;
  onCommit: () => void;
}

export function createWriteQueue({ writeBatch, batchMs, relieve, onCommit }: WriteQueueDeps) {
  let ops: ScanOp[] = [];
  let head = 0;
  let running: Promise<void> | undefined;
  let failure: unknown;
  let waiters: (() => void)[] = [];

  async function run(): Promise<void> {
    while (head < ops.length) {
      head += writeBatch(ops, head, batchMs());
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
        failure ??= error;
        [ops, head] = [[], 0];
      })
      .finally(() => {
        running = undefined;
        for (const wake of waiters.splice(0)) wake();
        waiters = [];
      });
  };

  const check = (): void => {
    if (failure !== undefined) throw failure;
  };

  return {
    push(more: ScanOp[]): void {
      for (const op of more) ops.push(op);
      if (ops.length > head) start();
    },
    /** Resolves when fewer than `limit` rows wait. Throws what the database threw. */
    async below(limit: number): Promise<void> {
      while (failure === undefined && ops.length - head > limit)
        await new Promise<void>((resolve) => {
          waiters.push(resolve);
        });
      check();
    },
    async empty(): Promise<void> {
      while (running) await running;
      check();
    },
  };
}
