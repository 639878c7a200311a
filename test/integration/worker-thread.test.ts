// A thread that answers requests in their order, with notes before an answer, and is replaced when it hangs or dies.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createWorkerThread, type WorkerThread } from '../../server/runtime/worker-thread.ts';

type Question = 'number' | 'notes' | 'fail' | 'hang' | 'die' | 'thread';

let dir: string;
let url: URL;
let thread: WorkerThread<Question, number, string>;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-thread-'));
  url = pathToFileURL(join(dir, 'worker.mjs'));
  const workerModule = new URL('../../server/runtime/answer-questions.ts', import.meta.url);
  writeFileSync(
    url,
    `import { threadId } from 'node:worker_threads';
    import { answerQuestions } from '${workerModule.href}';
    let number = 0;
    answerQuestions(async (question, tell) => {
      if (question === 'thread') return threadId;
      if (question === 'notes') ['one', 'two'].forEach(tell);
      if (question === 'fail') throw Object.assign(new Error('it is damaged'), { code: 'EIO' });
      if (question === 'hang') for (;;);
      if (question === 'die') setTimeout(() => { throw new Error('out of its mind'); });
      if (question === 'die') return new Promise(() => {});
      return ++number;
    });`,
  );
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));
afterEach(async () => thread.close());

it('answers in the order of the questions, with notes before the answer', async () => {
  thread = createWorkerThread({ url });
  const notes: string[] = [];
  const answers = [
    thread.ask('number'),
    thread.ask('notes', { onNote: (note) => notes.push(note) }),
    thread.ask('number'),
  ];
  expect(await Promise.all(answers)).toEqual([1, 2, 3]);
  expect(notes).toEqual(['one', 'two']);
});

it('an error is told with its code, and the thread goes on', async () => {
  thread = createWorkerThread({ url });
  await thread.ask('number');
  await expect(thread.ask('fail')).rejects.toMatchObject({ kind: 'failed', message: 'it is damaged', code: 'EIO' });
  expect(await thread.ask('number')).toBe(2);
});

it.each([
  ['hang', 'slow', /^it took longer than 0\.3 s$/],
  ['die', 'ended', /^out of its mind$/],
] as const)(
  'after one that makes it %s, the next question is answered by a new thread',
  async (question, kind, message) => {
    thread = createWorkerThread({ url });
    await thread.ask('number');
    const pendingAnswer = thread.ask(question, question === 'hang' ? { limitMs: 300 } : {});
    const nextAnswer = thread.ask('number');
    await expect(pendingAnswer).rejects.toMatchObject({ kind, message: expect.stringMatching(message) });
    expect(await nextAnswer).toBe(1);
  },
);

it('nobody waits for a question that is given up', async () => {
  thread = createWorkerThread({ url });
  await thread.ask('number');
  const givenUp = new AbortController();
  const pendingAnswer = thread.ask('die', { signal: givenUp.signal });
  const laterAnswer = thread.ask('number', { signal: givenUp.signal });
  givenUp.abort(new Error('cancelled'));
  await expect(pendingAnswer).rejects.toThrow('cancelled');
  await expect(laterAnswer).rejects.toThrow('cancelled');
});

it('it ends when nobody asks, and starts again', async () => {
  thread = createWorkerThread({ url, idleMs: 20 });
  const firstThreadId = await thread.ask('thread');
  await expect.poll(() => thread.ask('thread'), { interval: 300 }).not.toBe(firstThreadId);
});

it('is not asked any more when it is closed', async () => {
  thread = createWorkerThread({ url });
  await thread.ask('number');
  await thread.close();
  await expect(thread.ask('number')).rejects.toMatchObject({ kind: 'ended', message: 'the server is stopping' });
});
