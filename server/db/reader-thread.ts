// A thread with its own connection to the database, for queries that would keep other requests waiting.
import { AppError } from '../errors.ts';
import { createWorkerThread, ThreadError } from '../runtime/worker-thread.ts';
import type { ReaderThreadData } from './reader-loop.ts';

const IDLE_MS = 60_000;
const MAX_WAITING = 200;

interface ReaderThreadOptions {
  workerUrl: URL;
  databasePath: string;
  /** The beginning of the error message when the thread cannot answer, such as `The list could not be read`. */
  failure: string;
  idleMs?: number;
}

interface ReaderThread<Question, Answer> {
  /**
   * Asks the thread; questions are answered one at a time. Throws `unavailable` when too many are waiting or the
   * database cannot be read.
   */
  ask(question: Question): Promise<Answer>;
  close(): Promise<void>;
}

export function createReaderThread<Question, Answer>({
  workerUrl,
  databasePath,
  failure,
  idleMs = IDLE_MS,
}: ReaderThreadOptions): ReaderThread<Question, Answer> {
  const thread = createWorkerThread<Question, Answer>({
    url: workerUrl,
    data: { databasePath } satisfies ReaderThreadData,
    idleMs,
    hasDatabase: true,
  });
  let waitingCount = 0;
  return {
    ask(question) {
      if (waitingCount > MAX_WAITING)
        throw new AppError('unavailable', `${failure}: too many others are being worked out. Try again in a moment.`);
      waitingCount++;
      return thread
        .ask(question)
        .catch((error: unknown) => {
          throw error instanceof ThreadError ? new AppError('unavailable', `${failure}.`, { cause: error }) : error;
        })
        .finally(() => waitingCount--);
    },
    close: thread.close,
  };
}
