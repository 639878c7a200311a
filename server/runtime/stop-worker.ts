// Stops a worker thread. Terminating one inside native code (SQLite, WebAssembly, a file watcher) can crash the
// process, so each is asked to exit, and terminated only when it hangs.
import type { Worker } from 'node:worker_threads';

/** The last message to a thread: it releases what it holds, closes its port, and so exits. */
export const END = 'end';

const GRACE_MS = 2_000;

/** Resolves when it has exited. With `graceMs` 0 it is terminated at once, with Infinity never. */
export async function stopWorker(worker: Worker, graceMs = GRACE_MS): Promise<void> {
  if (worker.threadId === -1) return; // it has ended
  worker.on('error', () => undefined); // it may still fail on its way out
  if (graceMs === 0) return void (await worker.terminate());
  await new Promise<void>((resolve) => {
    // also keeps the process, whether or not the thread does
    const grace = graceMs === Infinity ? undefined : setTimeout(() => void worker.terminate(), graceMs);
    worker.once('exit', () => {
      clearTimeout(grace);
      resolve();
    });
    worker.postMessage(END);
  });
}
