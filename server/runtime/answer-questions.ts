// The inside of a thread of worker-thread.ts: answers one question after the other, until it is asked to end.
import { parentPort, type Transferable } from 'node:worker_threads';
import { messageOf } from '../errors.ts';
import { END } from './stop-worker.ts';

export type ThreadRequest<Question> = { question: Question } | typeof END;
export type ThreadMessage<Answer, Note = never> =
  | { note: Note }
  | { answer: Answer }
  | { reason: string; code?: string | undefined };

interface AnswerOptions<Answer> {
  /** Buffers of an answer that are handed over instead of copied. */
  transfer?: (answer: Answer) => Transferable[];
  /** Releases what the thread holds. */
  onEnd?: () => void;
}

export function answerQuestions<Question, Answer, Note = never>(
  answerTo: (question: Question, tell: (note: Note) => void) => Answer | Promise<Answer>,
  { transfer = () => [], onEnd }: AnswerOptions<Answer> = {},
): void {
  const port = parentPort;
  if (!port) throw new Error('this runs as a worker thread');
  const post = (message: ThreadMessage<Answer, Note>, buffers?: Transferable[]): void =>
    port.postMessage(message, buffers);

  async function respond(question: Question): Promise<void> {
    try {
      const answer = await answerTo(question, (note) => post({ note }));
      post({ answer }, transfer(answer));
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
      post({ reason: messageOf(error), code });
    }
  }

  port.on('message', (request: ThreadRequest<Question>) => {
    if (request !== END) return void respond(request.question);
    onEnd?.();
    port.close();
  });
}
