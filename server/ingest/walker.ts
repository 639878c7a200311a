// The walking thread as the scan sees it. It stays for a while after a scan, so that the next one starts at once.
import { Worker } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import type { WalkMessage, WalkOrder, WalkRequest } from './walk-worker.ts';

const IDLE_MS = 60_000;

export type Walker = ReturnType<typeof createWalker>;

export function createWalker({ workerUrl }: { workerUrl: URL }) {
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;

  function take(): Worker {
    clearTimeout(idle);
    const taken = worker ?? start();
    worker = undefined;
    return taken;
  }

  function start(): Worker {
    const started = new Worker(workerUrl);
    started.on('exit', () => { if (worker === started) worker = undefined; });
    started.on('error', () => {}); // told to the walk under way, if there is one
    return started;
  }

  /** A walk that came to its end leaves a thread that can walk again; one that was broken off does not. */
  function giveBack(used: Worker, isDone: boolean): void {
    if (!isDone || worker) return void used.terminate();
    worker = used;
    worker.unref();
    idle = setTimeout(() => void worker?.terminate(), IDLE_MS).unref();
  }

  return {
    /** Begins a walk; `messages` ends when the walk does, or when the signal says so. Throws `unavailable` when the folder cannot be walked. */
    start(order: WalkOrder) {
      const used = take();
      const received: WalkMessage[] = [];
      let wake: (() => void) | undefined;
      let isDone = false;
      const receive = (message: WalkMessage): void => {
        received.push(message);
        wake?.();
      };
      const fail = (error: Error): void => receive({ type: 'failed', message: error.message });
      used.on('message', receive).on('error', fail);
      used.ref();
      used.postMessage({ order } satisfies WalkRequest);

      return {
        async *messages(signal: AbortSignal) {
          signal.addEventListener('abort', () => wake?.(), { once: true });
          for (;;) {
            const message = received.shift();
            isDone = message?.type === 'done';
            if (signal.aborted || isDone) return;
            if (message?.type === 'failed') throw new AppError('unavailable', `The music folder cannot be walked: ${message.message}`);
            if (message?.type === 'folders') yield message;
            else await new Promise<void>((resolve) => { wake = resolve; });
          }
        },
        /** So many of the files it gave were dealt with. */
        credit: (files: number): void => used.postMessage({ credit: files } satisfies WalkRequest),
        end(): void {
          used.off('message', receive).off('error', fail);
          giveBack(used, isDone);
        },
      };
    },
    async close(): Promise<void> {
      clearTimeout(idle);
      await worker?.terminate();
    },
  };
}
