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
import { bindContext } from '../runtime/bind-context.ts';

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

export function createAttempts(deps: AttemptsDeps) {
  const context = createContext(deps);

  return bindContext(context, { isIdle, cancel, stopAll, abandon, run, withProblem });
}

type Context = ReturnType<typeof createContext>;

function createContext({ db, log, now, random, handledTasks, announcer, onStuck }: AttemptsDeps) {
  const runningJobs = new Map<JobId, RunningJob>();
  /** Errors of jobs whose state cannot be stored. They are kept here, because their rows cannot be written. */
  const storeFaults = new Map<JobId, string>();
  return { db, log, now, random, handledTasks, announcer, onStuck, runningJobs, storeFaults, isAbandoned: false };
}

/** Retries writing until the state is on disk: a full disk may delay a job's outcome, but must not lose it. */
async function storeUntilDone<T>(
  context: Context,
  job: JobRow | { id: JobId },
  write: () => T,
): Promise<T | undefined> {
  try {
    for (let tries = 0; !context.isAbandoned; tries++) {
      try {
        return write();
      } catch (error) {
        if (tries === 0)
          context.log.error({ job_id: job.id, err: error }, 'job could not be recorded; trying until it can');
        context.storeFaults.set(job.id, describeError(error));
        if (tries === 0 && 'task' in job) context.announcer.announce(withProblem(context, job));
        if (tries === MAX_SILENT_TRIES) context.onStuck(error);
        await sleep(DISK_PAUSE_MS);
      }
    }
  } finally {
    context.storeFaults.delete(job.id);
  }
  return undefined;
}

const withProblem = ({ storeFaults }: Context, job: JobRow): JobRow => ({
  ...job,
  error: storeFaults.get(job.id) ?? job.error,
});

/** Runs one attempt. Never rejects; resolves when the outcome of the attempt is stored. */
async function run(context: Context, id: JobId): Promise<void> {
  const entry: RunningJob = { controller: new AbortController() };
  context.runningJobs.set(id, entry);
  try {
    const job = await storeUntilDone(context, { id }, () => startAttempt(context.db, id, context.now()));
    if (!job) return; // the job was cancelled or has ended since it was queued
    context.announcer.announce(job);
    const startedMs = context.now().getTime();
    const attempt = await work(context, job, entry);
    const outcome = await record(context, job, entry, attempt);
    if (outcome) logAttempt(context, job, outcome, context.now().getTime() - startedMs, attempt.error);
  } finally {
    context.runningJobs.delete(id);
  }
}

async function work(
  context: Context,
  job: JobRow,
  { controller }: RunningJob,
): Promise<{ result?: unknown; error?: unknown }> {
  setCaller('jobs'); // time slices of the work count for jobs, not for the request that enqueued it
  const progress = createProgressWriter((latestProgress) => {
    if (context.isAbandoned) return;
    try {
      context.announcer.announce(
        withRelaxedCommit(context.db.$client, () => setProgress(context.db, job.id, latestProgress)),
      );
    } catch (error) {
      context.log.warn({ job_id: job.id, err: error }, 'progress could not be written');
    }
  });
  try {
    const { payload, handle } = parse(context, job);
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
function parse(context: Context, job: JobRow): { payload: unknown; handle: HandledTask['handle'] } {
  const handledTask = context.handledTasks.get(job.task);
  const parsed = handledTask?.task.payload.safeParse(job.payload);
  if (handledTask && parsed?.success) return { payload: parsed.data, handle: handledTask.handle };
  const problem = parsed?.error?.issues
    .map(({ path, message }) => `${path.join('.') || 'payload'}: ${message}`)
    .join('; ');
  throw permanent(`The job's payload is not understood by this version (${problem ?? 'unknown task'}).`);
}

async function record(
  context: Context,
  job: JobRow,
  { stop }: RunningJob,
  attempt: { result?: unknown; error?: unknown },
): Promise<Outcome | undefined> {
  const { id } = job;
  const isEnded = !('error' in attempt);
  if (context.isAbandoned) return undefined;
  if (stop === 'cancelled') {
    // what the cancelled job has done stays; its result is stored if the handler returned one
    if (isEnded && attempt.result !== null)
      context.announcer.announce(
        await storeUntilDone(context, job, () => setCancelledResult(context.db, id, attempt.result)),
      );
    return 'cancelled';
  }
  if (isEnded) {
    context.announcer.announce(
      await storeUntilDone(context, job, () =>
        endJob(context.db, id, { status: 'succeeded', result: attempt.result, error: null, finishedAt: context.now() }),
      ),
    );
    return 'succeeded';
  }
  if (stop === 'closing') {
    context.announcer.announce(await storeUntilDone(context, job, () => returnJob(context.db, id)));
    return 'returned';
  }
  if (isDatabaseLocked(attempt.error)) {
    const runAt = new Date(context.now().getTime() + LOCKED_PAUSE_MS);
    context.announcer.announce(
      await storeUntilDone(context, job, () => setWaitingUncounted(context.db, id, DATABASE_LOCKED, runAt)),
    );
    return 'waiting';
  }
  const error = describeError(attempt.error);
  const wishedMs = attempt.error instanceof AppError ? (attempt.error.retryAfter ?? 0) * 1_000 : 0;
  if (isPermanent(attempt.error) || job.attempts >= job.maxAttempts) {
    context.announcer.announce(
      await storeUntilDone(context, job, () =>
        endJob(context.db, id, { status: 'failed', result: null, error, finishedAt: context.now() }),
      ),
    );
    return 'failed';
  }
  await retryLater(context, job, error, wishedMs);
  return 'waiting';
}

/**
 * Sets a job to waiting. The due time is stored in the database, so it survives a restart. A service's Retry-After
 * extends the wait, up to the cap.
 */
async function retryLater(context: Context, job: JobRow, error: string, wishedMs: number): Promise<void> {
  const backoff = context.handledTasks.get(job.task)?.task.backoff ?? DEFAULT_BACKOFF;
  const waitMs = Math.max(backoffMs(backoff, job.attempts, context.random()), Math.min(backoff.capMs, wishedMs));
  const runAt = new Date(context.now().getTime() + waitMs);
  context.announcer.announce(await storeUntilDone(context, job, () => setWaiting(context.db, job.id, error, runAt)));
}

function logAttempt(context: Context, job: JobRow, outcome: Outcome, ms: number, error: unknown): void {
  const line = { job_id: job.id, task: job.task, attempt: job.attempts, outcome, ms };
  if (outcome === 'failed' || outcome === 'waiting') context.log.warn({ ...line, err: error }, 'job');
  else context.log.debug(line, 'job');
}

function stop(entry: RunningJob, reason: StopReason): void {
  if (entry.stop !== 'cancelled') entry.stop = reason;
  entry.controller.abort(
    new DOMException(reason === 'cancelled' ? 'The job was canceled.' : 'The server is stopping.', 'AbortError'),
  );
}

const isIdle = ({ runningJobs }: Context): boolean => runningJobs.size === 0;

/** Aborts a running job, whose row already has the status `cancelled`. */
function cancel({ runningJobs }: Context, id: JobId): void {
  const entry = runningJobs.get(id);
  if (entry) stop(entry, 'cancelled');
}

function stopAll({ runningJobs }: Context): void {
  for (const entry of runningJobs.values()) stop(entry, 'closing');
}

/** Abandons handlers that do not end: their jobs are requeued, and nothing that they do later is recorded. */
function abandon(context: Context): void {
  const runningIds = [...context.runningJobs.keys()];
  context.log.warn({ job_ids: runningIds }, 'jobs did not stop in time and will run again at the next start');
  context.isAbandoned = true;
  try {
    for (const id of runningIds) returnJob(context.db, id);
  } catch (error) {
    context.log.warn({ err: error }, 'jobs could not be queued again'); // the next start queues them again
  }
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
