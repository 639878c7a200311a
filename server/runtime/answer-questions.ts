// Runs inside a thread of worker-thread.ts: answers one question after the other, until the server asks it to end.
import { parentPort, type Transferable } from 'node:worker_threads';
import { messageOf } from '../errors.ts';
import { END_MESSAGE } from './stop-worker.ts';

export type ThreadRequest<Question> = { question: Question } | typeof END_MESSAGE;
export type ThreadMessage<Answer, Note = never> =
  | { note: Note }
  | { answer: Answer }
  | { reason: string; code?: string | undefined };

interface AnswerOptions<Answer> {
  /** Lists the buffers of an answer that are moved to the server instead of copied. */
  transfer?: (answer: Answer) => Transferable[];
  /** Releases the resources of the thread. */
  onEnd?: () => void;
}

export function answerQuestions<Question, Answer, Note = never>(
  answerTo: (question: Question, sendNote: (note: Note) => void) => Answer | Promise<Answer>,
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
    if (request !== END_MESSAGE) return void respond(request.question);
    onEnd?.();
    port.close();
  });
}
