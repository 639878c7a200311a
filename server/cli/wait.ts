// Waits for the jobs of a command, and not for other jobs that run at the same time.
import type { App } from '../app.ts';
import { COVER_ARCHIVE_TASK } from '../covers/tasks.ts';
import type { JobId } from '../db/ids.ts';
import { ENRICH_LIBRARY, ENRICH_TASK } from '../enrichment/tasks.ts';
import { AppError } from '../errors.ts';
import type { JobRow } from '../jobs/queries.ts';
import { OPERATOR, showJobProgress } from './progress.ts';

const isActive = ({ status }: JobRow): boolean => status === 'queued' || status === 'running';

/**
 * Shows the progress of a job, cancels the job on Ctrl+C, and returns its result (`T` is not checked). Throws when the
 * job failed or was cancelled. A job that would be retried later is cancelled: the person at the terminal decides when
 * to retry.
 */
export async function runJob<T>(app: App, id: JobId, label: string): Promise<T> {
  showJobProgress(app.events, id, label);
  cancelOnStop(app, id);
  const job = await waitForEnd(app, id);
  if (job.status === 'cancelled') throw new AppError('conflict', 'Canceled. What was done so far is kept.');
  if (job.status === 'succeeded') return job.result as T;
  if (job.status === 'waiting') app.jobs.cancel(id);
  throw new AppError('unavailable', job.error ?? 'The job failed without a reason.');
}

/**
 * Resolves when the job has ended or waits for a retry. Rejects when its end cannot be stored, e.g. on a full disk,
 * because the queue would wait for space.
 */
export function waitForEnd(app: App, id: JobId): Promise<JobRow> {
  return new Promise((resolve, reject) => {
    const check = (): void => {
      const job = app.jobs.get(id);
      if (isActive(job)) return;
      stop();
      resolve(job);
    };
    const unsubscribe = app.events.subscribe(OPERATOR, undefined, ({ name }) => {
      if (name === 'job') check();
    });
    const pollTimer = setInterval(check, 250); // this timer keeps the process alive, which the timer of events does not
    const stopListening = app.jobs.onStuck((error) => {
      stop();
      reject(error);
    });
    const stop = (): void => {
      unsubscribe();
      clearInterval(pollTimer);
      stopListening();
    };
    check();
  });
}

/**
 * Tasks that send requests to other servers, which may take days or be offline. These tasks continue at the next start.
 */
const NETWORK_TASKS: readonly string[] = [ENRICH_TASK, ENRICH_LIBRARY, COVER_ARCHIVE_TASK].map(({ name }) => name);

/** Waits for the jobs that a scan started, except those of NETWORK_TASKS. */
export async function waitForFollowUps(app: App): Promise<void> {
  for (const job of app.jobs.list({}, { limit: 50, offset: 0 }).items)
    if (isActive(job) && !NETWORK_TASKS.includes(job.task)) await waitForEnd(app, job.id);
}

/** Cancels the job on SIGINT and SIGTERM. */
export function cancelOnStop(app: App, id: JobId): void {
  const cancel = (): void => {
    if (app.jobs.get(id).finishedAt === null) app.jobs.cancel(id);
  };
  process.once('SIGINT', cancel).once('SIGTERM', cancel);
}
