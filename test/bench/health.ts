// How long /health takes, asked by a thread of its own: whoever sends the load and reads the answers is busy, and would
// count that as the server's time.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const LEAST = 20;

export interface HealthTimes {
  p99: number;
  max: number;
  count: number;
}

/** Until `stop`, which resolves when there are enough answers to judge. */
export function watchHealth(url: string, everyMs: number): { stop: () => Promise<HealthTimes> } {
  const worker = new Worker(new URL(import.meta.url), { workerData: { url, everyMs } });
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
  const taken: number[] = [];
  while (isWanted || taken.length < LEAST) {
    const started = performance.now();
    await (await fetch(`${url}/health`)).text();
    taken.push(performance.now() - started);
    await sleep(everyMs);
  }
  parentPort.postMessage(taken);
}
