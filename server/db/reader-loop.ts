// The thread's side of reader-thread.ts: opens the database read-only and answers one request after the other.
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { messageOf } from '../errors.ts';
import { compileLate } from './lazy-statements.ts';
import type { Sqlite } from './client.ts';

export interface ReaderThreadData {
  databasePath: string;
}
export type ReaderMessage<Question> = { question: Question } | 'end';
export type ReaderAnswer<Answer> = { ok: true; answer: Answer } | { ok: false; reason: string };

interface LoopOptions<Answer> {
  /** False for the one that moves pages. */
  readonly?: boolean;
  /** Buffers of an answer that need not be copied. */
  handedOver?: (answer: Answer) => ArrayBuffer[];
}

/** `prepare` gets the connection and gives what answers. */
export function answerQuestions<Question, Answer>(
  prepare: (client: Sqlite) => (question: Question) => Answer,
  { readonly = true, handedOver = () => [] }: LoopOptions<Answer> = {},
): void {
  const port = parentPort;
  if (!port) throw new Error('this runs as a worker thread');
  const client = new Database((workerData as ReaderThreadData).databasePath, { readonly, fileMustExist: true });
  client.pragma('busy_timeout = 10000');
  client.pragma('temp_store = MEMORY');
  compileLate(client);
  const answerTo = prepare(client);

  port.on('message', (message: ReaderMessage<Question>) => {
    if (message === 'end') {
      client.close();
      port.close();
      return;
    }
    try {
      const answer = answerTo(message.question);
      port.postMessage({ ok: true, answer } satisfies ReaderAnswer<Answer>, handedOver(answer));
    } catch (error) {
      port.postMessage({ ok: false, reason: messageOf(error) } satisfies ReaderAnswer<Answer>);
    }
  });
}
