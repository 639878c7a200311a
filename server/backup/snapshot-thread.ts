// Runs work on whole databases, each in a separate thread, because it takes minutes for a large database.
import { AppError, DISK_FULL } from '../errors.ts';
import { createWorkerThread, ThreadError } from '../runtime/worker-thread.ts';
import type { ForeignLibrary } from './foreign-library.ts';
import type { SnapshotProgress, SnapshotWork } from './snapshot-worker.ts';

interface CopyOptions {
  workerUrl: URL;
  from: string;
  to: string;
  signal: AbortSignal;
  onProgress: (done: number, total: number) => void;
}

const toCopyError = (reason: string): string => `The database could not be copied: ${reason}.`;

/** Copies the database to a new file. Throws `storage_full` or `unavailable`. */
export const copyDatabase = ({ workerUrl, from, to, signal, onProgress }: CopyOptions): Promise<void> =>
  runInThread(workerUrl, { copy: { from, to } }, toCopyError, {
    signal,
    onNote: ({ done, total }) => onProgress(done, total),
  });

/**
 * Makes a checked copy of a foreign database, which takes minutes for a large one. Throws `storage_full`, or
 * `unavailable` with the error in the database.
 */
export const takeForeignDatabase = (workerUrl: URL, foreignLibrary: ForeignLibrary): Promise<void> =>
  runInThread(workerUrl, { take: foreignLibrary }, (reason) => reason);

/** Prepares a copy of the database for an export. Throws `storage_full` or `unavailable`. */
export const cleanForExport = (workerUrl: URL, path: string, files: string): Promise<void> =>
  runInThread(workerUrl, { clean: { path, files } }, toCopyError);

type ProgressListener = (progress: SnapshotProgress) => void;

/**
 * Runs one piece of work in a thread. Throws `storage_full`, the reason of `signal`, or `unavailable` with a sentence
 * about the error.
 */
async function runInThread(
  url: URL,
  work: SnapshotWork,
  toMessage: (reason: string) => string,
  { signal, onNote }: { signal?: AbortSignal; onNote?: ProgressListener } = {},
): Promise<void> {
  const thread = createWorkerThread<SnapshotWork, null, SnapshotProgress>({ url, hasDatabase: true });
  try {
    await thread.ask(work, { signal, ...(onNote && { onNote }) });
  } catch (error) {
    if (!(error instanceof ThreadError)) throw error;
    if (error.code === 'SQLITE_FULL') throw new AppError('storage_full', DISK_FULL);
    throw new AppError('unavailable', toMessage(error.message));
  } finally {
    await thread.close();
  }
}
