// Runs one attempt at a job, from taking its row to storing its outcome. Retries (a stored time), cancellation (an
// AbortSignal) and error handling are implemented here, because better-queue keeps them in memory only.
import { setTimeout as sleep } from 'node:timers/promises';
import { type MainDb, withRelaxedCommit } from '../db/client.ts';
import type { JobId } from '../db/ids.ts';
import { AppError, asKnownFault, DATABASE_LOCKED, isDatabaseLocked, messageOf } from '../errors.ts';
import type { Log } from '../log/log.ts';
import type { JobEvents } from './job-events.ts';
import { backoffMs, DEFAULT_BACKOFF } from './backoff.ts';
import { createProgressWriter } from './progress.ts';
import {
  endJob,
  returnJob,
  setCancelledResult,
  setProgress,
  setWaiting,
  setWaitingUncounted,
  startAttempt,
  type JobRow,
} from './queries.ts';
import { setCaller } from '../runtime/time-slices.ts';
import { isPermanent, permanent, type HandledTask } from './tasks.ts';

const DISK_PAUSE_MS = 1_000;
/** A job that failed because the database was locked is retried after this time. */
const LOCKED_PAUSE_MS = 5_000;

/** After this many failed attempts to store a state, `onStuck` is called. */
const MAX_SILENT_TRIES = 2;

/** The reason why a handler's signal was aborted. */
type StopReason = 'cancelled' | 'closing';
type Outcome = 'succeeded' | 'failed' | 'waiting' | 'cancelled' | 'returned';

interface RunningJob {
  controller: AbortController;
  stop?: StopReason;
}

interface AttemptsDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  random: () => number;
  /** Tasks with their handlers, by name. */
  handledTasks: ReadonlyMap<string, HandledTask>;
  announcer: JobEvents;
  /**
   * Called when the state of a job cannot be stored. Storing is retried until it succeeds, but a caller that waits may
   * give up.
   */
  onStuck: (error: unknown) => void;
}

export type Attempts = ReturnType<typeof createAttempts>;

export function createAttempts({ db, log, now, random, handledTasks, announcer, onStuck }: AttemptsDeps) {
  const runningJobs = new Map<JobId, RunningJob>();
  /** Errors of jobs whose state cannot be stored. They are kept here, because their rows cannot be written. */
  const storeFaults = new Map<JobId, string>();
  let isAbandoned = false; // true when the server has stopped waiting, so that nothing may be written any more

  /** Retries writing until the state is on disk: a full disk may delay a job's outcome, but must not lose it. */
  async function storeUntilDone<T>(job: JobRow | { id: JobId }, write: () => T): Promise<T | undefined> {
    try {
      for (let tries = 0; !isAbandoned; tries++) {
        try {
          return write();
        } catch (error) {
          if (tries === 0) log.error({ job_id: job.id, err: error }, 'job could not be recorded; trying until it can');
          storeFaults.set(job.id, describeError(error));
          if (tries === 0 && 'task' in job) announcer.announce(withProblem(job));
          if (tries === MAX_SILENT_TRIES) onStuck(error);
          await sleep(DISK_PAUSE_MS);
        }
      }
    } finally {
      storeFaults.delete(job.id);
    }
    return undefined;
  }

  const withProblem = (job: JobRow): JobRow => ({ ...job, error: storeFaults.get(job.id) ?? job.error });

  /** Runs one attempt. Never rejects; resolves when the outcome of the attempt is stored. */
  async function run(id: JobId): Promise<void> {
    const entry: RunningJob = { controller: new AbortController() };
    runningJobs.set(id, entry);
    try {
      const job = await storeUntilDone({ id }, () => startAttempt(db, id, now()));
      if (!job) return; // the job was cancelled or has ended since it was queued
      announcer.announce(job);
      const startedMs = now().getTime();
      const attempt = await work(job, entry);
      const outcome = await record(job, entry, attempt);
      if (outcome) logAttempt(job, outcome, now().getTime() - startedMs, attempt.error);
    } finally {
      runningJobs.delete(id);
    }
  }

  async function work(job: JobRow, { controller }: RunningJob): Promise<{ result?: unknown; error?: unknown }> {
    setCaller('jobs'); // time slices of the work count for jobs, not for the request that enqueued it
    const progress = createProgressWriter((latestProgress) => {
      if (isAbandoned) return;
      try {
        announcer.announce(withRelaxedCommit(db.$client, () => setProgress(db, job.id, latestProgress)));
      } catch (error) {
        log.warn({ job_id: job.id, err: error }, 'progress could not be written');
      }
    });
    try {
      const { payload, handle } = parse(job);
      const result = await handle(payload, {
        jobId: job.id,
        attempt: job.attempts,
        signal: controller.signal,
        progress: progress.report,
      });
      return { result: toJson(result) };
    } catch (error) {
      return { error };
    } finally {
      progress.close();
    }
  }

  /** Parses the payload of a job. A payload that no longer parses fails the job, because retrying cannot help. */
  function parse(job: JobRow): { payload: unknown; handle: HandledTask['handle'] } {
    const handledTask = handledTasks.get(job.task);
    const parsed = handledTask?.task.payload.safeParse(job.payload);
    if (handledTask && parsed?.success) return { payload: parsed.data, handle: handledTask.handle };
    const problem = parsed?.error?.issues
      .map(({ path, message }) => `${path.join('.') || 'payload'}: ${message}`)
      .join('; ');
    throw permanent(`The job's payload is not understood by this version (${problem ?? 'unknown task'}).`);
  }

  async function record(
    job: JobRow,
    { stop }: RunningJob,
    attempt: { result?: unknown; error?: unknown },
  ): Promise<Outcome | undefined> {
    const { id } = job;
    const isEnded = !('error' in attempt);
    if (isAbandoned) return undefined;
    if (stop === 'cancelled') {
      // what the cancelled job has done stays; its result is stored if the handler returned one
      if (isEnded && attempt.result !== null)
        announcer.announce(await storeUntilDone(job, () => setCancelledResult(db, id, attempt.result)));
      return 'cancelled';
    }
    if (isEnded) {
      announcer.announce(
        await storeUntilDone(job, () =>
          endJob(db, id, { status: 'succeeded', result: attempt.result, error: null, finishedAt: now() }),
        ),
      );
      return 'succeeded';
    }
    if (stop === 'closing') {
      announcer.announce(await storeUntilDone(job, () => returnJob(db, id)));
      return 'returned';
    }
    if (isDatabaseLocked(attempt.error)) {
      const runAt = new Date(now().getTime() + LOCKED_PAUSE_MS);
      announcer.announce(await storeUntilDone(job, () => setWaitingUncounted(db, id, DATABASE_LOCKED, runAt)));
      return 'waiting';
    }
    const error = describeError(attempt.error);
    const wishedMs = attempt.error instanceof AppError ? (attempt.error.retryAfter ?? 0) * 1_000 : 0;
    if (isPermanent(attempt.error) || job.attempts >= job.maxAttempts) {
      announcer.announce(
        await storeUntilDone(job, () => endJob(db, id, { status: 'failed', result: null, error, finishedAt: now() })),
      );
      return 'failed';
    }
    await retryLater(job, error, wishedMs);
    return 'waiting';
  }

  /**
   * Sets a job to waiting. The due time is stored in the database, so it survives a restart. A service's Retry-After
   * extends the wait, up to the cap.
   */
  async function retryLater(job: JobRow, error: string, wishedMs: number): Promise<void> {
    const backoff = handledTasks.get(job.task)?.task.backoff ?? DEFAULT_BACKOFF;
    const waitMs = Math.max(backoffMs(backoff, job.attempts, random()), Math.min(backoff.capMs, wishedMs));
    const runAt = new Date(now().getTime() + waitMs);
    announcer.announce(await storeUntilDone(job, () => setWaiting(db, job.id, error, runAt)));
  }

  function logAttempt(job: JobRow, outcome: Outcome, ms: number, error: unknown): void {
    const line = { job_id: job.id, task: job.task, attempt: job.attempts, outcome, ms };
    if (outcome === 'failed' || outcome === 'waiting') log.warn({ ...line, err: error }, 'job');
    else log.debug(line, 'job');
  }

  function stop(entry: RunningJob, reason: StopReason): void {
    if (entry.stop !== 'cancelled') entry.stop = reason;
    entry.controller.abort(
      new DOMException(reason === 'cancelled' ? 'The job was canceled.' : 'The server is stopping.', 'AbortError'),
    );
  }

  return {
    run,
    withProblem,
    isIdle: (): boolean => runningJobs.size === 0,

    /** Aborts a running job, whose row already has the status `cancelled`. */
    cancel(id: JobId): void {
      const entry = runningJobs.get(id);
      if (entry) stop(entry, 'cancelled');
    },

    stopAll(): void {
      for (const entry of runningJobs.values()) stop(entry, 'closing');
    },

    /** Abandons handlers that do not end: their jobs are requeued, and nothing that they do later is recorded. */
    abandon(): void {
      const runningIds = [...runningJobs.keys()];
      log.warn({ job_ids: runningIds }, 'jobs did not stop in time and will run again at the next start');
      isAbandoned = true;
      try {
        for (const id of runningIds) returnJob(db, id);
      } catch (error) {
        log.warn({ err: error }, 'jobs could not be queued again'); // the next start queues them again
      }
    },
  };
}

/** Returns a message for people, because the message of the database driver contains SQL. */
const describeError = (error: unknown): string => asKnownFault(error)?.message ?? messageOf(error);

/**
 * Returns the result if it can be written as JSON. An error here counts as an error of the handler and not as a failure
 * to store the result.
 */
function toJson(result: unknown): unknown {
  if (result === undefined || JSON.stringify(result) === undefined) return null;
  return result;
}
