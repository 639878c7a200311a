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
import { createTaskQueue, type TaskQueue } from './queue.ts';
import type { HandledTask, Task } from './tasks.ts';

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

export function createJobs({ db, log, now, nowForAges = now, events, random = Math.random }: JobsDeps) {
  const announcer = createJobEvents(events);
  const queues = new Map<string, TaskQueue>();
  const tasks = new Map<string, Task>();
  const idleWaiters = new Set<{ resolve: () => void; reject: (error: unknown) => void }>();
  const stuckListeners = new Set<(error: unknown) => void>();
  let attempts: Attempts | undefined;
  let pruneTimer: NodeJS.Timeout | undefined;
  let isOpen = false;
  let closing: Promise<void> | undefined;

  /**
   * Stores a job and queues it; the job is on disk when the promise resolves. If an unfinished job has the same key,
   * returns that job. Throws `queue_unavailable` before start(), after close(), and when the job cannot be stored. The
   * errors of a full disk and of a locked database are passed on.
   */
  async function enqueue<P extends z.ZodType>(task: Task<P>, payload: z.input<P>): Promise<EnqueuedJob> {
    const queue = queues.get(task.name);
    if (!queue || !isOpen) throw new AppError('queue_unavailable', 'The job queue is not running.');
    try {
      const { job, created } = insertUnlessUnfinished(task, payload);
      if (created) {
        announcer.announce(job);
        queue.wake();
      }
      return { ...job, created };
    } catch (cause) {
      if (asKnownFault(cause)) throw cause;
      throw new AppError('queue_unavailable', 'The job queue cannot be reached.', { cause });
    }
  }

  function insertUnlessUnfinished<P extends z.ZodType>(
    task: Task<P>,
    payload: z.input<P>,
  ): { job: JobRow; created: boolean } {
    const parsed = task.payload.safeParse(payload);
    if (!parsed.success)
      throw new AppError('invalid', `The payload of ${task.name} is not valid: ${parsed.error.message}`, {
        cause: parsed.error,
      });
    const key = task.uniqueBy?.(parsed.data);
    const createdAt = now();
    const row = {
      task: task.name,
      payload,
      status: 'queued' as const,
      maxAttempts: task.attempts,
      runAt: createdAt,
      createdAt,
    };
    if (key === undefined) return { job: insertJob(db, row), created: true };
    const uniqueKey = `${task.name}:${key}`;
    return db.transaction(
      (tx) => {
        const unfinishedJob = findUnfinishedByKey(tx, uniqueKey);
        if (unfinishedJob) return { job: unfinishedJob, created: false };
        return { job: insertJob(tx, { ...row, uniqueKey }), created: true };
      },
      { behavior: 'immediate' },
    );
  }

  function isPutAsideNow<P extends z.ZodType>(task: Task<P>, payload: z.input<P>): boolean {
    const parsed = task.payload.safeParse(payload);
    const key = parsed.success ? task.uniqueBy?.(parsed.data) : undefined;
    if (key === undefined || task.isAskedByChanges === true) return false;
    return findPutAside(db, `${task.name}:${key}`, new Date(now().getTime() - PUT_ASIDE_MS)) !== undefined;
  }

  /** Adds the reason to a job whose outcome cannot be stored. */
  const withProblem = (job: JobRow): JobRow => attempts?.withProblem(job) ?? job;

  const isIdle = (): boolean => (attempts?.isIdle() ?? true) && (!isOpen || !hasDue(db, now()));

  function checkIdle(): void {
    if (idleWaiters.size === 0) return;
    const waiters = [...idleWaiters];
    try {
      if (!isIdle()) return;
      idleWaiters.clear();
      for (const { resolve } of waiters) resolve();
    } catch (error) {
      idleWaiters.clear();
      for (const { reject } of waiters) reject(error);
    }
  }

  const untilIdle = (): Promise<void> =>
    new Promise((resolve, reject) => {
      idleWaiters.add({ resolve, reject });
      checkIdle();
    });

  function prune(): void {
    try {
      pruneJobs(db, new Date(nowForAges().getTime() - MAX_AGE_DAYS * DAY_MS), MIN_KEPT_JOBS);
    } catch (error) {
      log.warn({ err: error }, 'old jobs could not be removed');
    }
  }

  async function shutDown(graceMs: number): Promise<void> {
    isOpen = false;
    clearInterval(pruneTimer);
    for (const queue of queues.values()) queue.pause();
    attempts?.stopAll();
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<'over'>((resolve) => {
      timer = setTimeout(resolve, graceMs, 'over');
    });
    if ((await Promise.race([untilIdle(), grace])) === 'over') attempts?.abandon();
    clearTimeout(timer);
    announcer.close();
  }

  return {
    enqueue,

    /**
     * Enqueues work that will be enqueued again in any case: if the queue is unavailable, that is only logged. Then,
     * and for work on hold, returns undefined.
     */
    async tryEnqueue<P extends z.ZodType>(task: Task<P>, payload: z.input<P>): Promise<EnqueuedJob | undefined> {
      try {
        if (isPutAsideNow(task, payload)) return undefined;
        return await enqueue(task, payload);
      } catch (error) {
        // during a stop, follow-up work is dropped without a warning, because the next start finds it again
        if (!closing) log.warn({ task: task.name, err: error }, 'job not enqueued');
        return undefined;
      }
    },

    taskNames: (): string[] => [...tasks.keys()],

    get(id: JobId): JobRow {
      const job = findJob(db, id);
      if (!job) throw notFound('job', id);
      return withProblem(job);
    },

    list(filter: { status?: JobStatus | undefined; task?: string | undefined }, page: Page): Paged<JobRow> {
      const { items, total } = listJobs(db, filter, page);
      return { items: items.map(withProblem), total };
    },

    /**
     * Cancels a job at once. A running handler is told by its signal and may take a moment longer. Throws `conflict`
     * when the job has ended.
     */
    cancel(id: JobId): JobRow {
      const cancelledJob = cancelJob(db, id, now());
      if (!cancelledJob) {
        const job = findJob(db, id);
        throw job ? conflict(`Job ${id} has already ended (${job.status}).`) : notFound('job', id);
      }
      attempts?.cancel(id);
      announcer.announce(cancelledJob);
      checkIdle();
      return cancelledJob;
    },

    /** Enqueues a new job for the same work. Throws `conflict` unless the given job failed or was cancelled. */
    async retry(id: JobId): Promise<EnqueuedJob> {
      const job = findJob(db, id);
      if (!job) throw notFound('job', id);
      if (job.status !== 'failed' && job.status !== 'cancelled')
        throw conflict(`Job ${id} has not failed (${job.status}).`);
      const task = tasks.get(job.task);
      if (!task) throw new AppError('queue_unavailable', 'The job queue is not running.');
      return enqueue(task, job.payload);
    },

    /**
     * Requeues the jobs that an earlier process left and starts working. Only one process at a time may do this for a
     * database.
     */
    start(handledTasks: readonly HandledTask[]): void {
      if (attempts || closing) throw new Error('Jobs are started once.');
      for (const { task } of handledTasks) {
        if (tasks.has(task.name)) throw new Error(`The task ${task.name} has two handlers.`);
        tasks.set(task.name, task);
      }
      const { putAside, ...restoredCounts } = restoreJobs(db, [...tasks.keys()], now());
      if (restoredCounts.returned + restoredCounts.unknown > 0)
        log.info(restoredCounts, 'jobs of an earlier run resumed');
      for (const job of putAside) {
        log.error({ job_id: job.id, task: job.task }, 'job on hold: the server crashed twice while it ran');
        handledTasks.find(({ task }) => task.name === job.task)?.onPutAside?.(job.payload);
      }
      prune();
      pruneTimer = setInterval(prune, DAY_MS).unref();
      const runner = createAttempts({
        db,
        log,
        now,
        random,
        handledTasks: new Map(handledTasks.map((handledTask) => [handledTask.task.name, handledTask])),
        announcer,
        onStuck(error) {
          for (const { reject } of idleWaiters) reject(error);
          for (const listener of stuckListeners) listener(error);
        },
      });
      attempts = runner;
      const { due, nextDue } = prepareDueJobs(db.$client);
      for (const { name, concurrency } of tasks.values()) {
        queues.set(
          name,
          createTaskQueue({
            log,
            now,
            name,
            concurrency,
            findDue: (limit) => due.all(name, now().getTime(), limit),
            findNextDue: () => nextDue.get(name, now().getTime()),
            run: (id) => runner.run(id).finally(checkIdle),
          }),
        );
      }
      isOpen = true;
    },

    /** Returns whether jobs are being run, for /health. */
    isRunning: (): boolean => isOpen,

    /** Returns whether the table of jobs can be read, for /health. */
    canRead: (): boolean => canReadTable(db, 'jobs'),

    /** Returns whether a job is running at this moment. */
    isWorking: (): boolean => !(attempts?.isIdle() ?? true),

    /**
     * Resolves when no job runs and none is due. Jobs that wait for a later time are not waited for. Rejects when a
     * job's outcome cannot be stored.
     */
    async drain(): Promise<void> {
      if (!isOpen) return closing;
      for (const queue of queues.values()) queue.wake();
      await untilIdle();
      announcer.flush();
    },

    /**
     * Calls the listener when a job's state cannot be stored, which is retried until it succeeds. Returns a function to
     * unsubscribe.
     */
    onStuck(listener: (error: unknown) => void): () => void {
      stuckListeners.add(listener);
      return () => void stuckListeners.delete(listener);
    },

    /** Stops starting jobs, and aborts running ones so that they are requeued. Waits for that, at most `graceMs`. */
    close({ graceMs }: { graceMs: number }): Promise<void> {
      closing ??= shutDown(graceMs);
      return closing;
    },
  };
}
