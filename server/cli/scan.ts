// `tonearm scan [DIR]`: one scan without a server.
import type { App } from '../app.ts';
import { AppError } from '../errors.ts';
import type { ScanResult } from '../ingest/wire.ts';
import { showProgress } from './progress.ts';

const SHOWN_FAILURES = 20;

export async function runScan(app: App): Promise<void> {
  await app.assertScannable();
  showProgress(app.events);
  const { id } = await app.jobs.enqueue('scan_local_folder', {});
  const cancel = (): void => {
    if (app.jobs.get(id).finishedAt === null) app.jobs.cancel(id);
  };
  process.once('SIGINT', cancel).once('SIGTERM', cancel);
  await app.drain();

  const job = app.jobs.get(id);
  if (job.status === 'cancelled') throw new AppError('conflict', 'The scan was cancelled; what it did stays.');
  if (job.status !== 'succeeded') throw new AppError('unavailable', job.error ?? 'The scan did not end well.');
  const { failed, failed_count } = job.result as ScanResult;
  for (const { source_id, reason } of failed.slice(0, SHOWN_FAILURES)) console.log(`  ${source_id}: ${reason}`);
  if (failed_count > SHOWN_FAILURES) console.log(`  … and ${failed_count - SHOWN_FAILURES} more`);
}
