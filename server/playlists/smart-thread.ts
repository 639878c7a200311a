// The thread of smart-worker.ts as the room sees it: started by the first smart playlist, ended when none was asked for in a while. It is
// asked to end, never cut off: a thread that is ended inside SQLite takes the process along.
import { Worker } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import type { SmartQuery } from './rules-sql.ts';
import type { SmartAnswer, SmartFound, SmartRequest, SmartWorkerData } from './smart-worker.ts';

const IDLE_MS = 60_000;
const MOST_WAITING = 200;

interface Task { query: SmartQuery; done: (answer: SmartAnswer) => void }

export type SmartThread = ReturnType<typeof createSmartThread>;

export function createSmartThread({ workerUrl, databasePath }: { workerUrl: URL; databasePath: string }) {
  const waiting: Task[] = [];
  const ending = new Set<Promise<void>>();
  let thread: { worker: Worker; ended: Promise<void> } | undefined;
  let running: Task | undefined;
  let idle: NodeJS.Timeout | undefined;

  function start(): Worker {
    const worker = new Worker(workerUrl, { workerData: { databasePath } satisfies SmartWorkerData, resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 } });
    const ended = new Promise<void>((resolve) => { worker.once('exit', () => resolve()); });
    worker.on('message', finish).on('error', (error) => finish({ ok: false, reason: error.message }));
    thread = { worker, ended };
    void ended.then(() => {
      if (thread?.worker === worker) thread = undefined;
      if (thread === undefined && running) finish({ ok: false, reason: 'the thread ended' });
    });
    return worker;
  }

  function next(): void {
    if (running) return;
    running = waiting.shift();
    if (!running) return rest();
    clearTimeout(idle);
    const worker = thread?.worker ?? start();
    worker.ref();
    worker.postMessage(running.query satisfies SmartRequest);
  }

  function finish(answer: SmartAnswer): void {
    const task = running;
    running = undefined;
    task?.done(answer);
    next();
  }

  function rest(): void {
    thread?.worker.unref();
    clearTimeout(idle);
    idle = setTimeout(end, IDLE_MS).unref();
  }

  function end(): void {
    if (!thread) return;
    const { worker, ended } = thread;
    thread = undefined;
    worker.ref(); // whoever closes waits for it
    worker.postMessage('end' satisfies SmartRequest);
    const gone = ended.finally(() => ending.delete(gone));
    ending.add(gone);
  }

  return {
    /** Throws `unavailable` when too many are waiting or the database cannot be read. */
    find(query: SmartQuery): Promise<SmartFound> {
      if (waiting.length >= MOST_WAITING) throw new AppError('unavailable', 'Too many smart playlists are being worked out. Try again in a moment.');
      return new Promise((resolve, reject) => {
        waiting.push({
          query,
          done: (answer) => (answer.ok
            ? resolve({ ids: answer.ids, durationMs: answer.durationMs })
            : reject(new AppError('unavailable', 'The smart playlist could not be worked out.', { cause: new Error(answer.reason) }))),
        });
        next();
      });
    },

    async close(): Promise<void> {
      clearTimeout(idle);
      for (const { done } of waiting.splice(0)) done({ ok: false, reason: 'the server is stopping' });
      end();
      await Promise.all(ending);
    },
  };
}
