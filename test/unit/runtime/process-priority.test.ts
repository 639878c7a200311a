import { once } from 'node:events';
import { constants, getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

const WORKER_CODE = `
  import { readlinkSync } from 'node:fs';
  import { parentPort, workerData } from 'node:worker_threads';
  const { lowerThreadPriority } = await import(workerData);
  lowerThreadPriority();
  parentPort.postMessage(Number(readlinkSync('/proc/thread-self').split('/').at(-1)));
  parentPort.once('message', () => undefined); // lives until then`;

test.runIf(process.platform === 'linux')('a thread gives way, and the others of the process do not', async () => {
  const previousPriority = getPriority();
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(WORKER_CODE)}`), {
    workerData: new URL('../../../server/runtime/process-priority.ts', import.meta.url).href,
  });
  const [thread] = (await once(worker, 'message')) as [number];
  expect([getPriority(thread), getPriority()]).toEqual([constants.priority.PRIORITY_BELOW_NORMAL, previousPriority]);
  await worker.terminate();
});
