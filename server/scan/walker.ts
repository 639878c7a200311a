// The walking thread as the scan sees it. It is kept for a minute after a scan, so that the next one starts at once. It
// holds a database connection while it walks, so it is asked to end and never terminated: that would crash the process
// if it happened inside SQLite.
import { Worker } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import type { WalkMessage, WalkOrder, WalkRequest, WalkWorkerData } from './walk-worker.ts';
import { releaseMemoryOf } from '../runtime/release-memory.ts';

const IDLE_MS = 5_000;

interface Thread {
  worker: Worker;
  /** Set to 1 to end a walk at its next folder. */ stop: Int32Array;
  ended: Promise<void>;
}

export type Walker = ReturnType<typeof createWalker>;

export function createWalker({ workerUrl }: { workerUrl: URL }) {
  const retiring = new Set<Promise<void>>();
  let resting: Thread | undefined;
  let idle: NodeJS.Timeout | undefined;

  function take(): Thread {
    clearTimeout(idle);
    const taken = resting ?? start();
    resting = undefined;
    return taken;
  }

  function start(): Thread {
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(workerUrl, {
      workerData: { stop: stop.buffer } satisfies WalkWorkerData,
      resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 96 },
    });
    releaseMemoryOf(worker);
    const ended = new Promise<void>((resolve) => {
      worker.once('exit', () => resolve());
    });
    const thread = { worker, stop, ended };
    worker.on('error', () => {}); // a walk under way has its own listener
    void ended.then(() => {
      if (resting === thread) resting = undefined;
    });
    return thread;
  }

  function retire({ worker, stop, ended }: Thread): void {
    Atomics.store(stop, 0, 1);
    worker.ref(); // whoever closes waits for it
    worker.postMessage('end' satisfies WalkRequest);
    const gone = ended.finally(() => retiring.delete(gone));
    retiring.add(gone);
  }

  /** Only after a walk that ended by itself can the thread walk again. */
  function giveBack(used: Thread, isDone: boolean): void {
    if (!isDone || resting) return retire(used);
    resting = used;
    used.worker.unref();
    idle = setTimeout(() => {
      if (resting) retire(resting);
      resting = undefined;
    }, IDLE_MS).unref();
  }

  return {
    /** `messages` ends with the walk, or when aborted; it throws `unavailable` when the folder cannot be walked. */
    start(order: WalkOrder) {
      const used = take();
      const { worker } = used;
      const received: WalkMessage[] = [];
      let wake: (() => void) | undefined;
      let isDone = false;
      const receive = (message: WalkMessage): void => {
        received.push(message);
        wake?.();
      };
      const fail = (error: Error): void => receive({ type: 'failed', message: error.message });
      worker.on('message', receive).on('error', fail);
      worker.ref();
      worker.postMessage({ order } satisfies WalkRequest);

      return {
        async *messages(signal: AbortSignal) {
          signal.addEventListener('abort', () => wake?.(), { once: true });
          for (;;) {
            const message = received.shift();
            isDone = message?.type === 'done';
            if (signal.aborted || isDone) return;
            if (message?.type === 'failed')
              throw new AppError('unavailable', `The music folder cannot be walked: ${message.message}`);
            if (message?.type === 'folders') yield message;
            else
              await new Promise<void>((resolve) => {
                wake = resolve;
              });
          }
        },
        /** So many of the files it gave were taken. */
        credit: (files: number): void => worker.postMessage({ credit: files } satisfies WalkRequest),
        end(): void {
          worker.off('message', receive).off('error', fail);
          giveBack(used, isDone);
        },
      };
    },
    async close(): Promise<void> {
      clearTimeout(idle);
      if (resting) retire(resting);
      resting = undefined;
      await Promise.all(retiring);
    },
  };
}
