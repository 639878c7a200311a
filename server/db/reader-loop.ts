// Runs inside a thread of reader-thread.ts: opens the database and answers questions from it.
import { workerData, type Transferable } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { answerQuestions } from '../runtime/answer-questions.ts';
import type { Sqlite } from './client.ts';

export interface ReaderThreadData {
  databasePath: string;
}

interface ReaderOptions<Answer> {
  /** False only for the checkpoint thread, which writes. */
  readonly?: boolean;
  /** Returns the buffers of an answer that are transferred instead of copied. */
  transfer?: (answer: Answer) => Transferable[];
}

/** Answers the questions of the main thread. `prepare` gets the connection and returns the function that answers. */
export function answerFromDatabase<Question, Answer>(
  prepare: (client: Sqlite) => (question: Question) => Answer,
  { readonly = true, transfer }: ReaderOptions<Answer> = {},
): void {
  const client = new Database((workerData as ReaderThreadData).databasePath, { readonly, fileMustExist: true });
  client.pragma('busy_timeout = 10000');
  client.pragma('temp_store = MEMORY');
  answerQuestions<Question, Answer>(prepare(client), {
    ...(transfer && { transfer }),
    onEnd: () => client.close(),
  });
}
