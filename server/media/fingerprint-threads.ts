// Manages the threads of fingerprint-worker.ts: started on demand, ended when idle, and terminated when a file hangs
// one or exhausts its memory.
import { Worker } from 'node:worker_threads';
import { stopWorker } from '../runtime/stop-worker.ts';
import type { FingerprintRequest, FingerprintResponse, FingerprintWorkerData } from './fingerprint-worker.ts';
import { releaseMemoryOf } from '../runtime/release-memory.ts';

const LIMIT_MS = 60_000;
const IDLE_MS = 10_000;
const HEAP_LIMIT_MB = 128;

interface FingerprintThreadDeps {
  workerUrl: URL;
  wasmPath: string;
  seconds: number;
  limitMs?: number | undefined;
}

export function createFingerprintThreads({ workerUrl, wasmPath, seconds, limitMs = LIMIT_MS }: FingerprintThreadDeps) {
  const idle = new Map<Worker, NodeJS.Timeout>();
  const all = new Set<Worker>();

  function start(): Worker {
    const thread = new Worker(workerUrl, {
      workerData: { wasmPath, seconds } satisfies FingerprintWorkerData,
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MB, maxYoungGenerationSizeMb: 8 },
    });
    thread.stdout.resume(); // decoders print every damaged frame
    thread.stderr.resume();
    thread.on('error', () => undefined); // reported to the caller of `ask`, if there is one
    thread.once('exit', () => {
      all.delete(thread);
      clearTimeout(idle.get(thread));
      idle.delete(thread);
    });
    releaseMemoryOf(thread);
    all.add(thread);
    return thread;
  }

  function take(): Worker {
    const [free] = idle;
    if (!free) return start();
    const [thread, timer] = free;
    clearTimeout(timer);
    idle.delete(thread);
    thread.ref();
    return thread;
  }

  function rest(thread: Worker): void {
    thread.unref();
    idle.set(
      thread,
      setTimeout(() => {
        idle.delete(thread);
        void stopWorker(thread);
      }, IDLE_MS).unref(),
    );
  }

  return {
    /** Uses one thread per call; the caller limits how many. Rejects only with the reason of `signal`. */
    ask(request: FingerprintRequest, signal: AbortSignal, mostMs = limitMs): Promise<FingerprintResponse> {
      signal.throwIfAborted();
      const thread = take();
      return new Promise((resolve, reject) => {
        const settle = (): void => {
          clearTimeout(limit);
          signal.removeEventListener('abort', onAbort);
          thread.off('message', onMessage).off('error', onError).off('exit', onExit);
        };
        const end = (reason: string, isSlow = false): void => {
          settle();
          void stopWorker(thread, 0); // it hangs or has exited
          resolve({ reason, ...(isSlow && { isSlow }) });
        };
        const onMessage = (response: FingerprintResponse): void => {
          settle();
          rest(thread);
          resolve(response);
        };
        const onError = (error: Error): void => end(`decoding failed: ${error.message}`);
        const onExit = (): void => end('decoding was stopped');
        const onAbort = (): void => {
          settle();
          void stopWorker(thread);
          reject(signal.reason as Error);
        };
        const limit = setTimeout(() => end(`decoding took longer than ${mostMs / 1000} s`, true), mostMs);
        signal.addEventListener('abort', onAbort);
        thread.on('message', onMessage).on('error', onError).on('exit', onExit);
        thread.postMessage(request, request.kind === 'samples' ? [request.samples.buffer] : []);
      });
    },

    async close(): Promise<void> {
      for (const timer of idle.values()) clearTimeout(timer);
      idle.clear();
      await Promise.all([...all].map((thread) => stopWorker(thread)));
    },
  };
}
