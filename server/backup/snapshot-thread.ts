// The thread of snapshot-worker.ts as the room sees it. It is asked to end, never cut off: a thread that is ended inside SQLite takes the process along.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { AppError, DISK_FULL } from '../errors.ts';
import type { SnapshotReport, SnapshotWorkerData } from './snapshot-worker.ts';

export interface SnapshotWish extends SnapshotWorkerData {
  workerUrl: URL;
  signal: AbortSignal;
  onProgress: (done: number, total: number) => void;
}

/** Copies the database to a new file. Throws `storage_full` or `unavailable` in words. */
export async function copyDatabase({ workerUrl, from, to, signal, onProgress }: SnapshotWish): Promise<void> {
  signal.throwIfAborted();
  const worker = new Worker(workerUrl, { workerData: { from, to } satisfies SnapshotWorkerData });
  let end: SnapshotReport | undefined;
  worker.on('message', (report: SnapshotReport) => {
    if (report.kind === 'progress') onProgress(report.done, report.total);
    else end = report;
  });
  const stop = (): void => worker.postMessage('stop');
  signal.addEventListener('abort', stop);
  try {
    await once(worker, 'exit'); // rejects with an error that the thread did not catch
  } finally {
    signal.removeEventListener('abort', stop);
  }
  signal.throwIfAborted();
  if (end?.kind === 'done') return;
  const { reason, code } = end?.kind === 'failed' ? end : { reason: 'the thread ended', code: undefined };
  if (code === 'SQLITE_FULL') throw new AppError('storage_full', DISK_FULL);
  throw new AppError('unavailable', `The database could not be copied: ${reason}.`);
}
