// The statements of `jobs`, whose rows have everything about a job from its request to its end.
import { and, count, desc, eq, getTableColumns, gte, inArray, lt, notInArray, sql, type SQL } from 'drizzle-orm';
import { type Db, type MainDb, type Sqlite, writtenRow } from '../db/client.ts';
import type { JobId } from '../db/ids.ts';
import { jobs, type JobStatus } from '../db/schema.ts';
import type { Page, Paged } from '../http/paging.ts';
import { isPutAside, MAX_CRASHES, PUT_ASIDE_MESSAGE } from './crash-limit.ts';
import { shortResultSql } from './short-result.ts';

export type JobRow = typeof jobs.$inferSelect;
export interface Progress {
  done: number;
  total: number | null;
  message: string | null;
}

// Written as text, because SQLite uses a partial index only if its condition is repeated word by word.
const isUnfinished = sql`status IN ('queued', 'running', 'waiting')`;
const isStartable = sql`status IN ('queued', 'waiting')`;

export const findJob = (db: Db, id: JobId): JobRow | undefined => db.select().from(jobs).where(eq(jobs.id, id)).get();

export const findUnfinishedByKey = (db: Db, uniqueKey: string): JobRow | undefined =>
  db
    .select()
    .from(jobs)
    .where(and(eq(jobs.uniqueKey, uniqueKey), isUnfinished))
    .get();

export function listJobs(
  db: Db,
  filter: { status?: JobStatus | undefined; task?: string | undefined },
  { limit, offset }: Page,
): Paged<JobRow> {
  const condition = and(
    filter.status === undefined ? undefined : eq(jobs.status, filter.status),
    filter.task === undefined ? undefined : eq(jobs.task, filter.task),
  );
  const items = db
    .select({ ...getTableColumns(jobs), result: shortResultSql })
    .from(jobs)
    .where(condition)
    .orderBy(desc(jobs.id))
    .limit(limit)
    .offset(offset)
    .all();
  const total = db.select({ n: count() }).from(jobs).where(condition).get()?.n ?? 0;
  return { items, total };
}

export const insertJob = (db: Db, job: typeof jobs.$inferInsert): JobRow =>
  writtenRow(db.insert(jobs).values(job).returning());
/** Starts an attempt. Returns undefined if the job was cancelled, has ended or was deleted. */
export const startAttempt = (db: Db, id: JobId, now: Date): JobRow | undefined =>
  writtenRow(
    db
      .update(jobs)
      .set({
        status: 'running',
        attempts: sql`${jobs.attempts} + 1`,
        startedAt: now,
        progressDone: null,
        progressTotal: null,
        progressMessage: null,
      })
      .where(and(eq(jobs.id, id), isStartable))
      .returning(),
  );

export const setProgress = (db: Db, id: JobId, { done, total, message }: Progress): JobRow | undefined =>
  updateRunning(db, id, { progressDone: done, progressTotal: total, progressMessage: message });

export const setWaiting = (db: Db, id: JobId, error: string, runAt: Date): JobRow | undefined =>
  updateRunning(db, id, { status: 'waiting', error, runAt, crashes: 0 });

/** Sets a job to waiting after an attempt that does not count. */
export const setWaitingUncounted = (db: Db, id: JobId, error: string, runAt: Date): JobRow | undefined =>
  updateRunning(db, id, { status: 'waiting', error, runAt, attempts: sql`max(${jobs.attempts} - 1, 0)`, crashes: 0 });

/** Ends a job after its attempt. Returns undefined if the job was cancelled during the attempt. */
export const endJob = (
  db: Db,
  id: JobId,
  end: { status: 'succeeded' | 'failed'; result: unknown; error: string | null; finishedAt: Date },
): JobRow | undefined => updateRunning(db, id, end);

/** Cancels a job. Returns undefined if the job has already ended. */
export const cancelJob = (db: Db, id: JobId, now: Date): JobRow | undefined =>
  writtenRow(
    db
      .update(jobs)
      .set({ status: 'cancelled', finishedAt: now })
      .where(and(eq(jobs.id, id), isUnfinished))
      .returning(),
  );

/** Stores the result that a cancelled job had when it stopped. */
export const setCancelledResult = (db: Db, id: JobId, result: unknown): JobRow | undefined =>
  writtenRow(
    db
      .update(jobs)
      .set({ result })
      .where(and(eq(jobs.id, id), eq(jobs.status, 'cancelled')))
      .returning(),
  );

/** Requeues a job that an ordinary stop interrupted, for the next start. The interrupted attempt does not count. */
export const returnJob = (db: Db, id: JobId): JobRow | undefined =>
  updateRunning(db, id, { status: 'queued', attempts: sql`max(${jobs.attempts} - 1, 0)`, crashes: 0 });

const updateRunning = (
  db: Db,
  id: JobId,
  set: { [Column in keyof JobRow]?: JobRow[Column] | SQL },
): JobRow | undefined =>
  writtenRow(
    db
      .update(jobs)
      .set(set)
      .where(and(eq(jobs.id, id), eq(jobs.status, 'running')))
      .returning(),
  );

/** Returns the latest job with this key, if it was put on hold since the given time. */
export function findPutAside(db: Db, uniqueKey: string, since: Date): JobRow | undefined {
  const latestJob = db.select().from(jobs).where(eq(jobs.uniqueKey, uniqueKey)).orderBy(desc(jobs.id)).limit(1).get();
  return latestJob && isPutAside(latestJob) && (latestJob.finishedAt ?? since) > since ? latestJob : undefined;
}

/**
 * Handles the jobs that are still `running` after a kill. They are queued again, or put on hold if it was not the first
 * kill in a row. Jobs of tasks that this version does not know fail.
 */
export function restoreJobs(
  db: MainDb,
  tasks: string[],
  now: Date,
): { returned: number; unknown: number; putAside: JobRow[] } {
  return db.transaction(
    (tx) => {
      tx.update(jobs)
        .set({ crashes: sql`${jobs.crashes} + 1` })
        .where(eq(jobs.status, 'running'))
        .run();
      const putAside = tx
        .update(jobs)
        .set({ status: 'failed', error: PUT_ASIDE_MESSAGE, finishedAt: now })
        .where(and(eq(jobs.status, 'running'), gte(jobs.crashes, MAX_CRASHES)))
        .returning()
        .all();
      const requeuedJobs = tx
        .update(jobs)
        .set({ status: 'queued', attempts: sql`max(${jobs.attempts} - 1, 0)` })
        .where(eq(jobs.status, 'running'))
        .run().changes;
      const unknownJobs = tx
        .update(jobs)
        .set({ status: 'failed', error: 'This version of Tonearm does not know the task.', finishedAt: now })
        .where(and(isUnfinished, notInArray(jobs.task, tasks)))
        .run().changes;
      return { returned: requeuedJobs, unknown: unknownJobs, putAside };
    },
    { behavior: 'immediate' },
  );
}

/** Deletes jobs that ended before `cutoff`, except the newest `keptCount`. */
export const pruneJobs = (db: Db, cutoff: Date, keptCount: number): number =>
  db
    .delete(jobs)
    .where(
      and(
        inArray(jobs.status, ['succeeded', 'failed', 'cancelled']),
        lt(jobs.finishedAt, cutoff),
        lt(jobs.id, sql`(SELECT id FROM jobs ORDER BY id DESC LIMIT 1 OFFSET ${keptCount - 1})`),
      ),
    )
    .run().changes;

/** Returns whether any job is due now. */
export const hasDue = (db: Db, now: Date): boolean =>
  db.get(sql`SELECT 1 FROM jobs WHERE ${isStartable} AND run_at <= ${now.getTime()} LIMIT 1`) !== undefined;

/** Prepares the queries for due jobs of a task once, since they run several times per job. */
export function prepareDueJobs(client: Sqlite) {
  return {
    /** Finds the ids of due jobs, beginning with the one that has been due for the longest time. */
    due: client
      .prepare<[task: string, nowMs: number, limit: number], JobId>(
        `SELECT id FROM jobs WHERE task = ? AND status IN ('queued', 'waiting') AND run_at <= ?
          ORDER BY run_at, id LIMIT ?`,
      )
      .pluck(),
    /** Finds the time at which the next job will be due, in ms. */
    nextDue: client
      .prepare<[task: string, nowMs: number], number>(
        `SELECT run_at FROM jobs WHERE task = ? AND status IN ('queued', 'waiting') AND run_at > ?
          ORDER BY run_at LIMIT 1`,
      )
      .pluck(),
  };
}
