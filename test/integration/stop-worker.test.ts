// Stopping threads that end on request, that do not react, and that have already ended.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { END_MESSAGE, stopWorker } from '../../server/runtime/stop-worker.ts';

/** Starts a thread that reports that it runs, and then runs the given code. */
function start(code: string): { worker: Worker; told: Int32Array; runs: Promise<unknown> } {
  const flags = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(
    `const { parentPort: port, workerData: told } = require('node:worker_threads'); port.postMessage('runs'); ${code}`,
    { eval: true, workerData: flags },
  );
  return { worker, told: flags, runs: once(worker, 'message') };
}

it('a thread is asked to end, and awaited until it has released its resources', async () => {
  const { worker, told, runs } = start(
    `port.on('message', (word) => {
      if (word === '${END_MESSAGE}') setImmediate(() => { told[0] = 1; port.close(); });
    });`,
  );
  await runs;
  await stopWorker(worker);
  expect([told[0], worker.threadId]).toEqual([1, -1]);
});

it('one that was asked before it ran ends too', async () => {
  const { worker, told } = start(`port.on('message', () => { told[0] = 1; port.close(); });`);
  await stopWorker(worker);
  expect([told[0], worker.threadId]).toEqual([1, -1]);
});

it.each([
  [100, 'after a grace'],
  [0, 'at once when it is known to hang'],
])('one that hangs is terminated (%i ms, %s)', async (graceMs) => {
  const { worker, told, runs } = start(`port.on('message', () => { told[0] = 1; }); for (;;);`);
  await runs;
  await stopWorker(worker, graceMs);
  expect([told[0], worker.threadId]).toEqual([0, -1]);
});

it('one that has ended, or ends with an error, is ignored', async () => {
  const { worker, runs } = start(`port.on('message', () => { throw new Error('on its way out'); });`);
  await runs;
  await stopWorker(worker);
  await stopWorker(worker);
  expect(worker.threadId).toBe(-1);
});
