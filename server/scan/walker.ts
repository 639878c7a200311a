// The walking threads as the scan sees them: one, and for a large library that was scanned before a second one. They
// are kept for some seconds after a scan, so that the next one starts at once. They hold a database connection while
// they walk, so they are asked to end and never terminated: that would crash the process if it happened inside SQLite.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import { releaseMemoryOf } from '../runtime/release-memory.ts';
import type { GoneOrder, WalkMessage, WalkOrder, WalkRequest, WalkWorkerData } from './walk-worker.ts';
import { startsOf, type NotWalked } from './walk.ts';

const IDLE_MS = 5_000;
/** A thread starts in the time in which another one walks so many. */
const FOLDERS_OF_ONE = 500;

interface Thread {
  worker: Worker;
  /** Set to 1 to end a walk at its next folder. */ stop: Int32Array;
  ended: Promise<void>;
}

export interface WholeWalk extends Omit<WalkOrder, 'seen' | 'wanted'> {
  /** Keys of music folders that [''] leaves out. */
  closed: readonly string[];
  /** The highest id of a known folder. */
  lastFolder: number;
}

/** What was found, and to be called once so many of its files were taken. */
interface Found extends Extract<WalkMessage, { type: 'folders' }> {
  credit: (files: number) => void;
}

export type Walker = ReturnType<typeof createWalker>;

export function createWalker({ workerUrl }: { workerUrl: URL }) {
  const retiring = new Set<Promise<void>>();
  const resting = new Set<Thread>();
  let idle: NodeJS.Timeout | undefined;

  function take(): Thread {
    clearTimeout(idle);
    const [rested] = resting;
    if (!rested) return start();
    resting.delete(rested);
    return rested;
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
    void ended.then(() => resting.delete(thread));
    return thread;
  }

  function retire({ worker, stop, ended }: Thread): void {
    Atomics.store(stop, 0, 1);
    worker.ref(); // whoever closes waits for it
    worker.postMessage('end' satisfies WalkRequest);
    const gone = ended.finally(() => retiring.delete(gone));
    retiring.add(gone);
  }

  function retireResting(): void {
    for (const thread of resting) retire(thread);
    resting.clear();
  }

  /** Only after a walk that ended by itself can a thread walk again. */
  function giveBack(used: Thread, isDone: boolean): void {
    if (isDone) {
      resting.add(used);
      used.worker.unref();
    } else retire(used);
    clearTimeout(idle); // of those that rested before, too
    idle = setTimeout(retireResting, IDLE_MS).unref();
  }

  return {
    /** `messages` ends with the walk, or when aborted; it throws `unavailable` when the folder cannot be walked. */
    start({ closed, lastFolder, folders, ...known }: WholeWalk) {
      const isLarge = folders.includes('') && lastFolder > FOLDERS_OF_ONE && availableParallelism() > 1;
      const threads = Array.from({ length: isLarge ? 2 : 1 }, take);
      const free = new Set(threads);
      const wanted = new Int32Array(new SharedArrayBuffer(4));
      const order = { ...known, seen: new SharedArrayBuffer(lastFolder + 1), wanted: wanted.buffer };
      const notWalked: NotWalked = { keys: [...closed], paths: [] };
      const found: Found[] = [];
      let state: 'walking' | 'comparing' | 'compared' | AppError = 'walking';
      let isDone = false;
      let wake: (() => void) | undefined;

      const ask = (request: { order: WalkOrder } | { gone: GoneOrder }): void => {
        const [thread] = free;
        if (!thread) throw new Error('no walking thread is free');
        free.delete(thread);
        Atomics.store(wanted, 0, state === 'walking' && free.size > 0 ? 1 : 0);
        thread.worker.postMessage(request satisfies WalkRequest);
      };
      const receive = (thread: Thread, message: WalkMessage): void => {
        if (message.type === 'folders')
          found.push({ ...message, credit: (credit) => thread.worker.postMessage({ credit } satisfies WalkRequest) });
        else if (message.type === 'shared') ask({ order: { ...order, folders: message.folders } });
        else if (message.type === 'failed') fail(message);
        else {
          free.add(thread);
          notWalked.keys.push(...message.notWalked.keys);
          notWalked.paths.push(...message.notWalked.paths);
          if (free.size < threads.length) Atomics.store(wanted, 0, 1);
          else if (state === 'walking') {
            state = 'comparing';
            ask({ gone: { ...order, folders, notWalked } });
          } else if (state === 'comparing') state = 'compared';
        }
        wake?.();
      };
      const fail = ({ message }: { message: string }): void => {
        state = new AppError('unavailable', `The music folder cannot be walked: ${message}`);
        wake?.();
      };
      const listeners = threads.map((thread) => {
        const onMessage = (message: WalkMessage): void => receive(thread, message);
        thread.worker.on('message', onMessage).on('error', fail).ref();
        return { thread, onMessage };
      });
      ask({ order: { ...order, folders: startsOf(order.root, folders, closed) } });

      return {
        async *messages(signal: AbortSignal): AsyncGenerator<Found> {
          signal.addEventListener('abort', () => wake?.(), { once: true });
          for (;;) {
            const next = found.shift();
            isDone = next === undefined && state === 'compared';
            if (signal.aborted || isDone) return;
            if (next) yield next;
            else if (state instanceof AppError) throw state;
            else
              await new Promise<void>((resolve) => {
                wake = resolve;
              });
          }
        },
        end(): void {
          Atomics.store(wanted, 0, 0);
          for (const { thread, onMessage } of listeners) {
            thread.worker.off('message', onMessage).off('error', fail);
            giveBack(thread, isDone);
          }
        },
      };
    },
    async close(): Promise<void> {
      clearTimeout(idle);
      retireResting();
      await Promise.all(retiring);
    },
  };
}
