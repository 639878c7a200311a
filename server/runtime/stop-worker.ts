// How a thread ends. One that is cut off in the middle of native code (SQLite, WebAssembly, a watch of the system) can
// take the whole process along, so each is asked to end by itself, and cut off only when it hangs.
import type { Worker } from 'node:worker_threads';

/** What a thread is told last. It lets go of what it holds and closes its port, and ends when nothing is left to do. */
export const END = 'end';

const GRACE_MS = 2_000;

/** Resolves when it has ended. One that hung before is not asked: `graceMs` is 0. */
export async function stopWorker(worker: Worker, graceMs = GRACE_MS): Promise<void> {
  if (worker.threadId === -1) return; // it has ended
  worker.on('error', () => undefined); // it may still fail on its way out
  if (graceMs === 0) return void (await worker.terminate());
  await new Promise<void>((resolve) => {
    // also keeps the process, whether or not the thread does
    const grace = setTimeout(() => void worker.terminate(), graceMs);
    worker.once('exit', () => {
      clearTimeout(grace);
      resolve();
    });
    worker.postMessage(END);
  });
}
