// A worker thread as the server sees it: it starts with the first question, answers one after the other, and ends when
// nobody has asked for a while. Every thread that answers questions is one of these; answer-questions.ts is its inside.
import { Worker, type Transferable } from 'node:worker_threads';
import type { ThreadMessage, ThreadRequest } from './answer-questions.ts';
import { stopWorker } from './stop-worker.ts';

const IDLE_MS = 10_000;

interface WorkerThreadOptions {
  url: URL;
  /** The thread's `workerData`. */
  data?: unknown;
  heapMb?: number;
  /** How long it waits for the next question before it ends. */
  idleMs?: number;
  /** It holds a connection to SQLite: terminating it there would crash the process, so it is only ever asked to end. */
  hasDatabase?: boolean;
  /** What its libraries print is dropped. */
  isSilent?: boolean;
}

interface AskOptions<Note> {
  signal?: AbortSignal | undefined;
  /** A thread that takes longer is terminated. */
  limitMs?: number;
  transfer?: Transferable[];
  /** Receives what the thread says before its answer. */
  onNote?: (note: Note) => void;
}

/** `failed`: the thread answered with an error · `slow`: it was terminated · `ended`: it died, or is closed */
export class ThreadError extends Error {
  override name = 'ThreadError';
  readonly kind: 'failed' | 'slow' | 'ended';
  /** The system's or SQLite's code of a failure. */
  readonly code: string | undefined;
  constructor(kind: ThreadError['kind'], message: string, code?: string) {
    super(message);
    this.kind = kind;
    this.code = code;
  }
}

export interface WorkerThread<Question, Answer, Note = never> {
  /** Rejects with a ThreadError, or with the reason of `signal`. */
  ask(question: Question, options?: AskOptions<Note>): Promise<Answer>;
  /** Resolves when the thread has exited; the question that it works on is answered before that. */
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
  const ending = new Set<Promise<void>>();
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  function start(): Worker {
    const started = new Worker(url, {
      workerData: data,
      stdout: isSilent,
      stderr: isSilent,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 8 },
    });
    if (isSilent) {
      started.stdout.resume();
      started.stderr.resume();
    }
    const forget = (): void => {
      if (worker === started) worker = undefined;
    };
    started.on('error', forget).once('exit', forget); // what is said to one that died is not answered
    return started;
  }

  function end(thread: Worker | undefined, graceMs?: number): void {
    if (!thread) return;
    if (worker === thread) worker = undefined;
    thread.ref(); // whoever closes waits for it
    const exited = stopWorker(thread, hasDatabase ? Infinity : graceMs).finally(() => ending.delete(exited));
    ending.add(exited);
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
      end(thread);
      reject(signal?.reason as Error);
    };
    const onLimit = (): void => {
      end(thread, 0);
      reject(new ThreadError('slow', `it took longer than ${(limitMs ?? 0) / 1000} s`));
    };
    const limit = limitMs === undefined ? undefined : setTimeout(onLimit, limitMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    thread.on('message', onMessage).on('error', onError).on('exit', onExit).ref();
    thread.postMessage({ question } satisfies ThreadRequest<Question>, transfer);
    try {
      return await promise;
    } finally {
      clearTimeout(limit);
      signal?.removeEventListener('abort', onAbort);
      thread.off('message', onMessage).off('error', onError).off('exit', onExit).unref();
    }
  }

  function rest(): void {
    if (--waiting === 0 && !isClosed) idle = setTimeout(() => end(worker), idleMs).unref();
  }

  return {
    ask(question, options = {}) {
      clearTimeout(idle);
      waiting++;
      const answer = last.then(() => askNow(question, options));
      last = answer.then(rest, rest);
      return answer;
    },

    async close() {
      isClosed = true;
      clearTimeout(idle);
      end(worker);
      await Promise.all(ending);
    },
  };
}

const codeOf = (error: Error): string | undefined => ('code' in error ? String(error.code) : undefined);
