// Measures the latency of /health in a separate thread, because the thread that sends the load is busy and would count
// its own delay as the server's.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const MIN_SAMPLES = 20;

interface HealthTimes {
  p99: number;
  max: number;
  count: number;
}

/**
 * Measures from the first response on, when this thread has loaded its code, until `stop` is called, which resolves
 * when there are enough responses.
 */
export async function watchHealth(url: string, everyMs: number): Promise<{ stop: () => Promise<HealthTimes> }> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { url, everyMs } });
  await once(worker, 'message');
  return {
    async stop() {
      const answer = once(worker, 'message');
      worker.postMessage('stop');
      const [latencies] = (await answer) as [number[]];
      await worker.terminate();
      const sortedLatencies = latencies.toSorted((a, b) => a - b);
      return {
        p99: sortedLatencies[Math.floor(sortedLatencies.length * 0.99)] ?? 0,
        max: sortedLatencies.at(-1) ?? 0,
        count: sortedLatencies.length,
      };
    },
  };
}

if (!isMainThread && parentPort) {
  const { url, everyMs } = workerData as { url: string; everyMs: number };
  let isRunning = true;
  parentPort.once('message', () => (isRunning = false));
  const durations: number[] = [];
  const requestHealth = async (): Promise<string> => (await fetch(`${url}/health`)).text();
  await requestHealth();
  parentPort.postMessage('ready');
  while (isRunning || durations.length < MIN_SAMPLES) {
    const startedAt = performance.now();
    await requestHealth();
    durations.push(performance.now() - startedAt);
    await sleep(everyMs);
  }
  parentPort.postMessage(durations);
}
