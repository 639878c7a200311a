// A thread with a read-only connection of its own, for queries that would block other requests. Started on first use
// and stopped when idle. It is asked to exit and never terminated: terminating a thread inside SQLite crashes the
// process.
import { Worker } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import type { ReaderAnswer, ReaderThreadData, ReaderMessage } from './reader-loop.ts';
import { releaseMemoryOf } from '../runtime/release-memory.ts';

const IDLE_MS = 60_000;
const MOST_WAITING = 200;

interface ReaderThreadOptions {
  workerUrl: URL;
  databasePath: string;
  /** The error when it cannot answer, as the start of a sentence: `The list could not be read`. */
  failure: string;
  idleMs?: number;
}

interface Task<Question, Answer> {
  question: Question;
  done: (answer: ReaderAnswer<Answer>) => void;
}

interface ReaderThread<Question, Answer> {
  /** One request at a time. Throws `unavailable` when too many are waiting or the database cannot be read. */
  ask(question: Question): Promise<Answer>;
  close(): Promise<void>;
}

export function createReaderThread<Question, Answer>({
  workerUrl,
  databasePath,
  failure,
  idleMs = IDLE_MS,
}: ReaderThreadOptions): ReaderThread<Question, Answer> {
  const waiting: Task<Question, Answer>[] = [];
  const ending = new Set<Promise<void>>();
  let thread: { worker: Worker; ended: Promise<void> } | undefined;
  let running: Task<Question, Answer> | undefined;
  let idle: NodeJS.Timeout | undefined;

  function start(): Worker {
    const worker = new Worker(workerUrl, {
      workerData: { databasePath } satisfies ReaderThreadData,
      resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 },
    });
    releaseMemoryOf(worker);
    const ended = new Promise<void>((resolve) => {
      worker.once('exit', () => resolve());
    });
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
    worker.postMessage({ question: running.question } satisfies ReaderMessage<Question>);
  }

  function finish(answer: ReaderAnswer<Answer>): void {
    const task = running;
    running = undefined;
    task?.done(answer);
    next();
  }

  function rest(): void {
    thread?.worker.unref();
    clearTimeout(idle);
    idle = setTimeout(end, idleMs).unref();
  }

  function end(): void {
    if (!thread) return;
    const { worker, ended } = thread;
    thread = undefined;
    worker.ref(); // whoever closes waits for it
    worker.postMessage('end' satisfies ReaderMessage<Question>);
    const gone = ended.finally(() => ending.delete(gone));
    ending.add(gone);
  }

  return {
    ask(question) {
      if (waiting.length >= MOST_WAITING)
        throw new AppError('unavailable', `${failure}: too many others are being worked out. Try again in a moment.`);
      return new Promise((resolve, reject) => {
        waiting.push({
          question,
          done: (given) =>
            given.ok
              ? resolve(given.answer)
              : reject(new AppError('unavailable', `${failure}.`, { cause: new Error(given.reason) })),
        });
        next();
      });
    },

    async close() {
      clearTimeout(idle);
      for (const { done } of waiting.splice(0)) done({ ok: false, reason: 'the server is stopping' });
      end();
      await Promise.all(ending);
    },
  };
}
