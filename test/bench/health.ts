// How long /health takes, asked by a thread of its own: whoever sends the load and reads the answers is busy, and would
// count that as the server's time.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const LEAST = 20;

interface HealthTimes {
  p99: number;
  max: number;
  count: number;
}

/**
 * From a first answer, which waits until this thread has loaded what it needs, until `stop`, which resolves when there
 * are enough answers to judge.
 */
export async function watchHealth(url: string, everyMs: number): Promise<{ stop: () => Promise<HealthTimes> }> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { url, everyMs } });
  await once(worker, 'message');
  return {
    async stop() {
      const answer = once(worker, 'message');
      worker.postMessage('stop');
      const [taken] = (await answer) as [number[]];
      await worker.terminate();
      const sorted = taken.toSorted((a, b) => a - b);
      return { p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0, max: sorted.at(-1) ?? 0, count: sorted.length };
    },
  };
}

if (!isMainThread && parentPort) {
  const { url, everyMs } = workerData as { url: string; everyMs: number };
  let isWanted = true;
  parentPort.once('message', () => (isWanted = false));
  const durations: number[] = [];
  const ask = async (): Promise<string> => (await fetch(`${url}/health`)).text();
  await ask();
  parentPort.postMessage('ready');
  while (isWanted || durations.length < LEAST) {
    const started = performance.now();
    await ask();
    durations.push(performance.now() - started);
    await sleep(everyMs);
  }
  parentPort.postMessage(durations);
}
