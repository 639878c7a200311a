// Runs snapshot-worker.ts in a thread. It is asked to stop and never terminated, which would crash the process while
// the thread is inside SQLite.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { AppError, DISK_FULL } from '../errors.ts';
import type { ForeignLibrary } from './foreign-library.ts';
import type { SnapshotReport, SnapshotWorkerData } from './snapshot-worker.ts';

interface CopyOptions {
  workerUrl: URL;
  from: string;
  to: string;
  signal: AbortSignal;
  onProgress: (done: number, total: number) => void;
}

/** Copies the database to a new file. Throws `storage_full` or `unavailable`. */
export async function copyDatabase({ workerUrl, from, to, signal, onProgress }: CopyOptions): Promise<void> {
  signal.throwIfAborted();
  const end = await runThread(workerUrl, { copy: { from, to } }, signal, onProgress);
  signal.throwIfAborted();
  assertDone(end);
}

function assertDone(end: End): void {
  if (end.kind === 'done') return;
  if (end.code === 'SQLITE_FULL') throw new AppError('storage_full', DISK_FULL);
  throw new AppError('unavailable', `The database could not be copied: ${end.reason}.`);
}

/** Throws `storage_full`, or `unavailable` with what is wrong with the database. Takes minutes for a large one. */
export async function takeDatabase(workerUrl: URL, take: ForeignLibrary): Promise<void> {
  const end = await runThread(workerUrl, { take });
  if (end.kind === 'done') return;
  throw end.code === 'SQLITE_FULL' ? new AppError('storage_full', DISK_FULL) : new AppError('unavailable', end.reason);
}

/** Prepares a copy of the database for an export. Throws `storage_full` or `unavailable`. */
export async function cleanForExport(workerUrl: URL, path: string, files: string): Promise<void> {
  assertDone(await runThread(workerUrl, { clean: { path, files } }));
}

type End = Exclude<SnapshotReport, { kind: 'progress' }>;

async function runThread(
  workerUrl: URL,
  workerData: SnapshotWorkerData,
  signal?: AbortSignal,
  onProgress?: CopyOptions['onProgress'],
): Promise<End> {
  const worker = new Worker(workerUrl, { workerData });
  let end: End = { kind: 'failed', reason: 'the thread ended' };
  worker.on('message', (report: SnapshotReport) => {
    if (report.kind === 'progress') onProgress?.(report.done, report.total);
    else end = report;
  });
  const stop = (): void => worker.postMessage('stop');
  signal?.addEventListener('abort', stop);
  try {
    await once(worker, 'exit'); // rejects with an error that the thread did not catch
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  return end;
}
