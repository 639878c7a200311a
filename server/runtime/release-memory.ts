// V8 keeps the memory of a thread that has ended for the next one, until the main thread's heap is collected, which in
// an idle server is never: 15 MB for each thread that has walked or read a large library.
import type { Worker } from 'node:worker_threads';

/** Several threads end together; one collection is enough for all. */
const SOON_MS = 1_000;
let timer: NodeJS.Timeout | undefined;

/** Gives its memory back to the system when it has ended; without --expose-gc, V8 does so in its own time. */
export function releaseMemoryOf(worker: Worker): void {
  worker.once('exit', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void globalThis.gc?.({ type: 'major', execution: 'async' }), SOON_MS).unref();
  });
}
