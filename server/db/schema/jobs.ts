// Jobs of the background queue.
import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { JobId } from '../ids.ts';
import { id, json, time } from './columns.ts';

export type JobStatus = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';

/** jobs/: a piece of background work. The row stays after the work has ended. */
export const jobs = sqliteTable(
  'jobs',
  {
    id: id<JobId>(),
    task: text('task').notNull(),
    payload: json<unknown>('payload').notNull(),
    uniqueKey: text('unique_key'), // there is at most one unfinished job per key
    status: text('status').$type<JobStatus>().notNull(),
    attempts: integer('attempts').notNull().default(0),
    maxAttempts: integer('max_attempts').notNull(),
    progressDone: integer('progress_done'),
    progressTotal: integer('progress_total'),
    progressMessage: text('progress_message'),
    result: json<unknown>('result'),
    error: text('error'),
    runAt: time('run_at').notNull(), // the earliest time at which the job starts
    createdAt: time('created_at').notNull(),
    startedAt: time('started_at'),
    finishedAt: time('finished_at'),
    crashes: integer('crashes').notNull().default(0), // how often in a row the process died while the job ran
  },
  (t) => [
    uniqueIndex('jobs_unique_key_unfinished')
      .on(t.uniqueKey)
      .where(sql`status IN ('queued', 'running', 'waiting')`),
    index('jobs_status').on(t.status, t.id),
    index('jobs_task').on(t.task, t.id),
    index('jobs_due')
      .on(t.task, t.runAt, t.id)
      .where(sql`status IN ('queued', 'waiting')`),
  ],
);
