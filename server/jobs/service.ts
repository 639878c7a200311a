// The interface of background work for modules: enqueues, lists and cancels jobs. The row in `jobs` is written before
// anything else happens and has everything about the job. A queue per task (queue.ts) decides when a job runs, and
// attempts.ts runs it.
import type { z } from 'zod';
import { canReadTable, type MainDb } from '../db/client.ts';
import type { JobId } from '../db/ids.ts';
import type { JobStatus } from '../db/schema.ts';
import { AppError, asKnownFault, conflict, notFound } from '../errors.ts';
import type { EventHub } from '../events/hub.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { Log } from '../log/log.ts';
import { createJobEvents } from './job-events.ts';
import { createAttempts, type Attempts } from './attempts.ts';
import {
  cancelJob,
  findJob,
  findPutAside,
  findUnfinishedByKey,
  hasDue,
  insertJob,
  listJobs,
  pruneJobs,
  prepareDueJobs,
  restoreJobs,
  type JobRow,
} from './queries.ts';
import { readLastSuccesses } from './last-successes.ts';
import { createTaskQueue, type TaskQueue } from './queue.ts';
import type { HandledTask, Task } from './tasks.ts';
import { bindContext } from '../runtime/bind-context.ts';

const DAY_MS = 86_400_000;
const MAX_AGE_DAYS = 90;
const MIN_KEPT_JOBS = 1_000;
/** For this time after work was put on hold, it starts only when a person requests it. */
const PUT_ASIDE_MS = DAY_MS;

interface JobsDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  /** The clock for computing ages; by default `now`. */
  nowForAges?: () => Date;
  events: Pick<EventHub, 'publish'>;
  /** Returns a number from 0 to 1, for the jitter of retries. */
  random?: () => number;
}

export type EnqueuedJob = JobRow & {
  /** False if an unfinished job with the same key was returned instead of a new one. */
  created: boolean;
};

export type Jobs = ReturnType<typeof createJobs>;

export function createJobs(deps: JobsDeps) {
  const context = createContext(deps);

  return {
    ...bindContext(context, {
      taskNames,
      get,
      list,
      cancel,
      retry,
      start,
      isRunning,
      canRead,
      lastSuccesses,
      isWorking,
      drain,
      onStuck,
      close,
    }),
    enqueue: <P extends z.ZodType>(task: Task<P>, payload: z.input<P>): Promise<EnqueuedJob> =>
      enqueue(context, task, payload),
    /**
     * Enqueues work that will be enqueued again in any case: if the queue is unavailable, that is only logged. Then,
     * and for work on hold, returns undefined.
     */
    async tryEnqueue<P extends z.ZodType>(task: Task<P>, payload: z.input<P>): Promise<EnqueuedJob | undefined> {
      try {
        if (isPutAsideNow(context, task, payload)) return undefined;
        return await enqueue(context, task, payload);
      } catch (error) {
        // during a stop, follow-up work is dropped without a warning, because the next start finds it again
        if (!context.closing) context.log.warn({ task: task.name, err: error }, 'job not enqueued');
        return undefined;
      }
    },
  };
}

type Context = ReturnType<typeof createContext>;

function createContext({ db, log, now, nowForAges = now, events, random = Math.random }: JobsDeps) {
  const announcer = createJobEvents(events);
  const queues = new Map<string, TaskQueue>();
  const tasks = new Map<string, Task>();
  const idleWaiters = new Set<{ resolve: () => void; reject: (error: unknown) => void }>();
  const stuckListeners = new Set<(error: unknown) => void>();
  return {
    db,
    log,
    now,
    nowForAges,
    random,
    announcer,
    queues,
    tasks,
    idleWaiters,
    stuckListeners,
    attempts: undefined as Attempts | undefined,
    pruneTimer: undefined as NodeJS.Timeout | undefined,
    isOpen: false,
    closing: undefined as Promise<void> | undefined,
  };
}

/**
 * Stores a job and queues it; the job is on disk when the promise resolves. If an unfinished job has the same key,
 * returns that job. Throws `queue_unavailable` before start(), after close(), and when the job cannot be stored. The
 * errors of a full disk and of a locked database are passed on.
 */
async function enqueue<P extends z.ZodType>(
  context: Context,
  task: Task<P>,
  payload: z.input<P>,
): Promise<EnqueuedJob> {
  const queue = context.queues.get(task.name);
  if (!queue || !context.isOpen) throw new AppError('queue_unavailable', 'The job queue is not running.');
  try {
    const { job, created } = insertUnlessUnfinished(context, task, payload);
    if (created) {
      context.announcer.announce(job);
      queue.wake();
    }
    return { ...job, created };
  } catch (cause) {
    if (asKnownFault(cause)) throw cause;
    throw new AppError('queue_unavailable', 'The job queue cannot be reached.', { cause });
  }
}

function insertUnlessUnfinished<P extends z.ZodType>(
  context: Context,
  task: Task<P>,
  payload: z.input<P>,
): { job: JobRow; created: boolean } {
  const parsed = task.payload.safeParse(payload);
  if (!parsed.success)
    throw new AppError('invalid', `The payload of ${task.name} is not valid: ${parsed.error.message}`, {
      cause: parsed.error,
    });
  const key = task.uniqueBy?.(parsed.data);
  const createdAt = context.now();
  const row = {
    task: task.name,
    payload,
    status: 'queued' as const,
    maxAttempts: task.attempts,
    runAt: createdAt,
    createdAt,
  };
  if (key === undefined) return { job: insertJob(context.db, row), created: true };
  const uniqueKey = `${task.name}:${key}`;
  return context.db.transaction(
    (tx) => {
      const unfinishedJob = findUnfinishedByKey(tx, uniqueKey);
      if (unfinishedJob) return { job: unfinishedJob, created: false };
      return { job: insertJob(tx, { ...row, uniqueKey }), created: true };
    },
    { behavior: 'immediate' },
  );
}

function isPutAsideNow<P extends z.ZodType>(context: Context, task: Task<P>, payload: z.input<P>): boolean {
  const parsed = task.payload.safeParse(payload);
  const key = parsed.success ? task.uniqueBy?.(parsed.data) : undefined;
  if (key === undefined || task.isAskedByChanges === true) return false;
  return (
    findPutAside(context.db, `${task.name}:${key}`, new Date(context.now().getTime() - PUT_ASIDE_MS)) !== undefined
  );
}

/** Adds the reason to a job whose outcome cannot be stored. */
const withProblem = (context: Context, job: JobRow): JobRow => context.attempts?.withProblem(job) ?? job;

const isIdle = (context: Context): boolean =>
  (context.attempts?.isIdle() ?? true) && (!context.isOpen || !hasDue(context.db, context.now()));

function checkIdle(context: Context): void {
  if (context.idleWaiters.size === 0) return;
  const waiters = [...context.idleWaiters];
  try {
    if (!isIdle(context)) return;
    context.idleWaiters.clear();
    for (const { resolve } of waiters) resolve();
  } catch (error) {
    context.idleWaiters.clear();
    for (const { reject } of waiters) reject(error);
  }
}

const untilIdle = (context: Context): Promise<void> =>
  new Promise((resolve, reject) => {
    context.idleWaiters.add({ resolve, reject });
    checkIdle(context);
  });

function prune(context: Context): void {
  try {
    pruneJobs(context.db, new Date(context.nowForAges().getTime() - MAX_AGE_DAYS * DAY_MS), MIN_KEPT_JOBS);
  } catch (error) {
    context.log.warn({ err: error }, 'old jobs could not be removed');
  }
}

async function shutDown(context: Context, graceMs: number): Promise<void> {
  context.isOpen = false;
  clearInterval(context.pruneTimer);
  for (const queue of context.queues.values()) queue.pause();
  context.attempts?.stopAll();
  let timer: NodeJS.Timeout | undefined;
  const grace = new Promise<'over'>((resolve) => {
    timer = setTimeout(resolve, graceMs, 'over');
  });
  if ((await Promise.race([untilIdle(context), grace])) === 'over') context.attempts?.abandon();
  clearTimeout(timer);
  context.announcer.close();
}

const taskNames = ({ tasks }: Context): string[] => [...tasks.keys()];

function get(context: Context, id: JobId): JobRow {
  const job = findJob(context.db, id);
  if (!job) throw notFound('job', id);
  return withProblem(context, job);
}

function list(
  context: Context,
  filter: { status?: JobStatus | undefined; task?: string | undefined },
  page: Page,
): Paged<JobRow> {
  const { items, total } = listJobs(context.db, filter, page);
  return { items: items.map((job) => withProblem(context, job)), total };
}

/**
 * Cancels a job at once. A running handler is told by its signal and may take a moment longer. Throws `conflict`
 * when the job has ended.
 */
function cancel(context: Context, id: JobId): JobRow {
  const cancelledJob = cancelJob(context.db, id, context.now());
  if (!cancelledJob) {
    const job = findJob(context.db, id);
    throw job ? conflict(`Job ${id} has already ended (${job.status}).`) : notFound('job', id);
  }
  context.attempts?.cancel(id);
  context.announcer.announce(cancelledJob);
  checkIdle(context);
  return cancelledJob;
}

/** Enqueues a new job for the same work. Throws `conflict` unless the given job failed or was cancelled. */
async function retry(context: Context, id: JobId): Promise<EnqueuedJob> {
  const job = findJob(context.db, id);
  if (!job) throw notFound('job', id);
  if (job.status !== 'failed' && job.status !== 'cancelled')
    throw conflict(`Job ${id} has not failed (${job.status}).`);
  const task = context.tasks.get(job.task);
  if (!task) throw new AppError('queue_unavailable', 'The job queue is not running.');
  return enqueue(context, task, job.payload);
}

/**
 * Requeues the jobs that an earlier process left and starts working. Only one process at a time may do this for a
 * database.
 */
function start(context: Context, handledTasks: readonly HandledTask[]): void {
  if (context.attempts || context.closing) throw new Error('Jobs are started once.');
  for (const { task } of handledTasks) {
    if (context.tasks.has(task.name)) throw new Error(`The task ${task.name} has two handlers.`);
    context.tasks.set(task.name, task);
  }
  const { putAside, ...restoredCounts } = restoreJobs(context.db, [...context.tasks.keys()], context.now());
  if (restoredCounts.returned + restoredCounts.unknown > 0)
    context.log.info(restoredCounts, 'jobs of an earlier run resumed');
  for (const job of putAside) {
    context.log.error({ job_id: job.id, task: job.task }, 'job on hold: the server crashed twice while it ran');
    handledTasks.find(({ task }) => task.name === job.task)?.onPutAside?.(job.payload);
  }
  prune(context);
  context.pruneTimer = setInterval(() => prune(context), DAY_MS).unref();
  const runner = createAttempts({
    db: context.db,
    log: context.log,
    now: context.now,
    random: context.random,
    handledTasks: new Map(handledTasks.map((handledTask) => [handledTask.task.name, handledTask])),
    announcer: context.announcer,
    onStuck(error) {
      for (const { reject } of context.idleWaiters) reject(error);
      for (const listener of context.stuckListeners) listener(error);
    },
  });
  context.attempts = runner;
  const { due, nextDue } = prepareDueJobs(context.db.$client);
  for (const { name, concurrency } of context.tasks.values()) {
    context.queues.set(
      name,
      createTaskQueue({
        log: context.log,
        now: context.now,
        name,
        concurrency,
        findDue: (limit) => due.all(name, context.now().getTime(), limit),
        findNextDue: () => nextDue.get(name, context.now().getTime()),
        run: (id) => runner.run(id).finally(() => checkIdle(context)),
      }),
    );
  }
  context.isOpen = true;
}

/** Returns whether jobs are being run, for /health. */
const isRunning = (context: Context): boolean => context.isOpen;

/** Returns whether the table of jobs can be read, for /health. */
const canRead = ({ db }: Context): boolean => canReadTable(db, 'jobs');

const lastSuccesses = ({ db }: Context) => readLastSuccesses(db);

/** Returns whether a job is running at this moment. */
const isWorking = (context: Context): boolean => !(context.attempts?.isIdle() ?? true);

/**
 * Resolves when no job runs and none is due. Jobs that wait for a later time are not waited for. Rejects when a
 * job's outcome cannot be stored.
 */
async function drain(context: Context): Promise<void> {
  if (!context.isOpen) return context.closing;
  for (const queue of context.queues.values()) queue.wake();
  await untilIdle(context);
  context.announcer.flush();
}

/**
 * Calls the listener when a job's state cannot be stored, which is retried until it succeeds. Returns a function to
 * unsubscribe.
 */
function onStuck({ stuckListeners }: Context, listener: (error: unknown) => void): () => void {
  stuckListeners.add(listener);
  return () => void stuckListeners.delete(listener);
}

/** Stops starting jobs, and aborts running ones so that they are requeued. Waits for that, at most `graceMs`. */
function close(context: Context, { graceMs }: { graceMs: number }): Promise<void> {
  context.closing ??= shutDown(context, graceMs);
  return context.closing;
}
