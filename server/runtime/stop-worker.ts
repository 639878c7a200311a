// Stops a worker thread. Terminating a thread inside native code (SQLite, WebAssembly, a file watcher) can crash the
// process, so each thread is asked to exit, and terminated only when it hangs.
import type { Worker } from 'node:worker_threads';

/** The last message to a thread: the thread then releases its resources and closes its port, which ends it. */
export const END_MESSAGE = 'end';

const MAX_GRACE_MS = 2_000;

/**
 * Stops a thread; resolves when it has exited. With `graceMs` 0 the thread is terminated at once, with Infinity never.
 */
export async function stopWorker(worker: Worker, graceMs = MAX_GRACE_MS): Promise<void> {
  if (worker.threadId === -1) return; // the thread has exited already
  worker.on('error', () => undefined); // the thread may still fail while it exits
  if (graceMs === 0) return void (await worker.terminate());
  await new Promise<void>((resolve) => {
    // the timer also keeps the process alive, whether or not the thread does
    const timer = graceMs === Infinity ? undefined : setTimeout(() => void worker.terminate(), graceMs);
    worker.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    worker.postMessage(END_MESSAGE);
  });
}
