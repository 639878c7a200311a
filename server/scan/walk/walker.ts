// Runs the walk of a scan in a thread of its own: each call of the file system is synchronous there, so that a slow or
// dead disk delays the scan and no request. The thread of one walk is kept for the next walk for ten seconds.
import { AppError, messageOf } from '../../errors.ts';
import { createWorkerThread, type WorkerThread } from '../../runtime/worker-thread.ts';
import type { WalkedFolders, WalkOrder, WalkQuestion } from './walk-worker.ts';

const HEAP_LIMIT_MB = 96;

/**
 * Yields what the walk finds, and reads one bundle of folders ahead. Throws `unavailable` when the folder cannot be
 * walked, and the reason of `signal`.
 */
export type WalkFolders = (order: WalkOrder, signal: AbortSignal) => AsyncGenerator<WalkedFolders>;

export function createWalker(url: URL): { walk: WalkFolders; close(): Promise<void> } {
  let idleThread: WorkerThread<WalkQuestion, WalkedFolders> | undefined;
  return {
    async *walk(order, signal) {
      const thread = idleThread ?? createWorkerThread({ url, heapMb: HEAP_LIMIT_MB, hasDatabase: true });
      idleThread = undefined;
      const ask = (question: WalkQuestion): Promise<WalkedFolders> => {
        const answer = thread.ask(question, { signal });
        // prevents an unhandled rejection; the error is thrown below, if the scan still needs the answer
        answer.catch(() => undefined);
        return answer;
      };
      try {
        for (let next = ask(order), isLast = false; !isLast;) {
          const folders = await next;
          ({ isLast } = folders);
          if (!isLast) next = ask('next');
          yield folders;
        }
      } catch (error) {
        signal.throwIfAborted();
        throw new AppError('unavailable', `The music folder cannot be walked: ${messageOf(error)}`);
      } finally {
        if (idleThread) await thread.close();
        else idleThread = thread;
      }
    },
    close: async () => idleThread?.close(),
  };
}
