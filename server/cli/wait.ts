// Waits for jobs that a command asked for, and not for others that go on by themselves.
import type { App } from '../app.ts';
import type { JobId } from '../db/ids.ts';
import type { JobRow } from '../jobs/queries.ts';
import { OPERATOR } from './progress.ts';

const isAtWork = ({ status }: JobRow): boolean => status === 'queued' || status === 'running';

/**
 * The job at its end, or at an end of its own for now (`waiting`). Rejects when that cannot be stored, on a full disk
 * for one: nobody who waits at a terminal wants to wait for room.
 */
export function untilEnded(app: App, id: JobId): Promise<JobRow> {
  return new Promise((resolve, reject) => {
    const check = (): void => {
      const job = app.jobs.get(id);
      if (isAtWork(job)) return;
      stop();
      resolve(job);
    };
    const unsubscribe = app.events.subscribe(OPERATOR, undefined, ({ name }) => {
      if (name === 'job') check();
    });
    const again = setInterval(check, 250); // events are bundled by a timer that does not keep the process alive
    const forget = app.jobs.onStuck((error) => {
      stop();
      reject(error);
    });
    const stop = (): void => {
      unsubscribe();
      clearInterval(again);
      forget();
    };
    check();
  });
}

/** What a scan leads to, but for identification: that may take days, and the next start goes on with it. */
export async function untilTidy(app: App): Promise<void> {
  for (const job of app.jobs.list({}, { limit: 50, offset: 0 }).items)
    if (isAtWork(job) && !job.task.startsWith('enrich_')) await untilEnded(app, job.id);
}

/** Ends the job when the person at the terminal says so; what it did stays. */
export function cancelOnStop(app: App, id: JobId): void {
  const cancel = (): void => {
    if (app.jobs.get(id).finishedAt === null) app.jobs.cancel(id);
  };
  process.once('SIGINT', cancel).once('SIGTERM', cancel);
}
