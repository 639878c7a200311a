// The threads of fingerprint-worker.ts. A thread that hangs or runs out of memory because of a file is replaced.
import { createWorkerThread, ThreadError, type WorkerThread } from '../runtime/worker-thread.ts';
import type { FingerprintRequest, FingerprintResponse, FingerprintWorkerData } from './fingerprint-worker.ts';

const DECODING_TIMEOUT_MS = 60_000;
const HEAP_LIMIT_MB = 128;

interface FingerprintThreadDeps {
  workerUrl: URL;
  wasmPath: string;
  seconds: number;
  limitMs?: number | undefined;
}

export function createFingerprintThreads({
  workerUrl,
  wasmPath,
  seconds,
  limitMs = DECODING_TIMEOUT_MS,
}: FingerprintThreadDeps) {
  type Thread = WorkerThread<FingerprintRequest, FingerprintResponse>;
  const threads: Thread[] = [];
  const idleThreads: Thread[] = [];

  function start(): Thread {
    const thread: Thread = createWorkerThread({
      url: workerUrl,
      data: { wasmPath, seconds } satisfies FingerprintWorkerData,
      heapMb: HEAP_LIMIT_MB,
      isSilent: true, // decoders print a line for every damaged frame
    });
    threads.push(thread);
    return thread;
  }

  return {
    /**
     * Sends a request to a thread. Uses one thread per call; the caller limits the number of calls. Rejects only with
     * the reason of `signal`.
     */
    async ask(request: FingerprintRequest, signal: AbortSignal, mostMs = limitMs): Promise<FingerprintResponse> {
      signal.throwIfAborted();
      const thread = idleThreads.pop() ?? start();
      const transfer = request.kind === 'samples' ? [request.samples.buffer] : [];
      try {
        return await thread.ask(request, { signal, limitMs: mostMs, transfer });
      } catch (error) {
        if (!(error instanceof ThreadError)) throw error;
        if (error.kind === 'slow') return { reason: `decoding took longer than ${mostMs / 1000} s`, isSlow: true };
        return { reason: `decoding failed: ${error.message}` };
      } finally {
        idleThreads.push(thread);
      }
    },

    close: async (): Promise<void> => void (await Promise.all(threads.map((thread) => thread.close()))),
  };
}
