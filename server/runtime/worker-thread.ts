// A worker thread as the server sees it: the thread starts with the first question, answers one question after the
// other, and ends after some time without questions. The code inside the thread uses answer-questions.ts.
import { Worker, type Transferable } from 'node:worker_threads';
import type { ThreadMessage, ThreadRequest } from './answer-questions.ts';
import { stopWorker } from './stop-worker.ts';

const IDLE_MS = 10_000;

interface WorkerThreadOptions {
  url: URL;
  /** The thread's `workerData`. */
  data?: unknown;
  heapMb?: number;
  /** How long the thread waits for the next question before it ends. */
  idleMs?: number;
  /**
   * True if the thread has a connection to SQLite: terminating it would crash the process, so it is only asked to end.
   */
  hasDatabase?: boolean;
  /** True if output of the thread's libraries is dropped. */
  isSilent?: boolean;
}

interface AskOptions<Note> {
  signal?: AbortSignal | undefined;
  /** Time limit of a question: a thread that takes longer is terminated. */
  limitMs?: number;
  transfer?: Transferable[];
  /** Receives the notes that the thread sends before its answer. */
  onNote?: (note: Note) => void;
}

/**
 * `failed`: the thread answered with an error. `slow`: the thread was terminated. `ended`: the thread died, or is
 * closed.
 */
export class ThreadError extends Error {
  override name = 'ThreadError';
  readonly kind: 'failed' | 'slow' | 'ended';
  /** The error code of the system or of SQLite. */
  readonly code: string | undefined;
  constructor(kind: ThreadError['kind'], message: string, code?: string) {
    super(message);
    this.kind = kind;
    this.code = code;
  }
}

export interface WorkerThread<Question, Answer, Note = never> {
  /** Asks a question. Rejects with a ThreadError, or with the reason of `signal`. */
  ask(question: Question, options?: AskOptions<Note>): Promise<Answer>;
  /** Ends the thread after its current question; resolves when it has exited. */
  close(): Promise<void>;
}

export function createWorkerThread<Question, Answer, Note = never>({
  url,
  data,
  heapMb = 256,
  idleMs = IDLE_MS,
  hasDatabase = false,
  isSilent = false,
}: WorkerThreadOptions): WorkerThread<Question, Answer, Note> {
  const exits = new Set<Promise<void>>();
  let worker: Worker | undefined;
  let idleTimer: NodeJS.Timeout | undefined;
  let pendingCount = 0;
  let lastAnswer: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  function start(): Worker {
    const newWorker = new Worker(url, {
      workerData: data,
      stdout: isSilent,
      stderr: isSilent,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 8 },
    });
    if (isSilent) {
      newWorker.stdout.resume();
      newWorker.stderr.resume();
    }
    const forget = (): void => {
      if (worker === newWorker) worker = undefined;
    };
    newWorker.on('error', forget).once('exit', forget); // a thread that died answers no more questions
    return newWorker;
  }

  function endThread(thread: Worker | undefined, graceMs?: number): void {
    if (!thread) return;
    if (worker === thread) worker = undefined;
    thread.ref(); // the process stays alive until the thread has ended
    const whenExited = stopWorker(thread, hasDatabase ? Infinity : graceMs).finally(() => exits.delete(whenExited));
    exits.add(whenExited);
  }

  async function askNow(question: Question, { signal, limitMs, transfer, onNote }: AskOptions<Note>): Promise<Answer> {
    signal?.throwIfAborted();
    if (isClosed) throw new ThreadError('ended', 'the server is stopping');
    const thread = (worker ??= start());
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const onMessage = (message: ThreadMessage<Answer, Note>): void => {
      if ('note' in message) onNote?.(message.note);
      else if ('answer' in message) resolve(message.answer);
      else reject(new ThreadError('failed', message.reason, message.code));
    };
    const onError = (error: Error): void => reject(new ThreadError('ended', error.message, codeOf(error)));
    const onExit = (): void => reject(new ThreadError('ended', 'the thread ended'));
    const onAbort = (): void => {
      endThread(thread);
      reject(signal?.reason as Error);
    };
    const onLimit = (): void => {
      endThread(thread, 0);
      reject(new ThreadError('slow', `it took longer than ${(limitMs ?? 0) / 1000} s`));
    };
    const limitTimer = limitMs === undefined ? undefined : setTimeout(onLimit, limitMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    thread.on('message', onMessage).on('error', onError).on('exit', onExit).ref();
    thread.postMessage({ question } satisfies ThreadRequest<Question>, transfer);
    try {
      return await promise;
    } finally {
      clearTimeout(limitTimer);
      signal?.removeEventListener('abort', onAbort);
      thread.off('message', onMessage).off('error', onError).off('exit', onExit).unref();
    }
  }

  function onAnswered(): void {
    if (--pendingCount === 0 && !isClosed) idleTimer = setTimeout(() => endThread(worker), idleMs).unref();
  }

  return {
    ask(question, options = {}) {
      clearTimeout(idleTimer);
      pendingCount++;
      const answer = lastAnswer.then(() => askNow(question, options));
      lastAnswer = answer.then(onAnswered, onAnswered);
      return answer;
    },

    async close() {
      isClosed = true;
      clearTimeout(idleTimer);
      endThread(worker);
      await Promise.all(exits);
    },
  };
}

const codeOf = (error: Error): string | undefined => ('code' in error ? String(error.code) : undefined);
