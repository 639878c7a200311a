// Shapes of the jobs API.
import { z } from 'zod';
import { event } from '../events/event.ts';
import type { jobs } from '../db/schema.ts';
import { pageQuery, pagedOf } from '../http/paging.ts';
import { isoTime, toIso, toIsoOrNull } from '../http/times.ts';
import { isPutAside } from './crash-limit.ts';

export const JobStatusOut = z.enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled']);

export const JobOut = z
  .object({
    id: z.int(),
    task: z.string(),
    status: JobStatusOut,
    attempts: z.int(),
    max_attempts: z.int(),
    progress: z.object({ done: z.int(), total: z.int().nullable(), message: z.string().nullable() }).nullable(),
    result: z.unknown().nullable().meta({
      description:
        'whole at GET /jobs/{id}; in lists and events its lists are empty and its parts null when it is over 8 KB',
    }),
    error: z.string().nullable(),
    is_put_aside: z.boolean().meta({
      description: 'it failed because the server stopped twice while it ran, and does not start again by itself',
    }),
    next_attempt_at: isoTime.nullable().meta({ description: 'while it waits to try again' }),
    created_at: isoTime,
    started_at: isoTime.nullable().meta({ description: 'start of the latest attempt' }),
    finished_at: isoTime.nullable(),
  })
  .meta({ id: 'JobOut' });
export type JobOut = z.output<typeof JobOut>;

export const jobEvent = event('job', JobOut, 'A job began, went on or ended; to superusers.');

export const JobPage = pagedOf(JobOut).meta({ id: 'PagedJobs' });
export const JobQuery = z.object({
  status: JobStatusOut.optional(),
  task: z.string().max(100).optional(),
  ...pageQuery,
});
export type JobQuery = z.output<typeof JobQuery>;

export const toJobOut = (job: typeof jobs.$inferSelect): JobOut => ({
  id: job.id,
  task: job.task,
  status: job.status,
  attempts: job.attempts,
  max_attempts: job.maxAttempts,
  progress:
    job.progressDone === null
      ? null
      : { done: job.progressDone, total: job.progressTotal, message: job.progressMessage },
  result: job.result ?? null,
  error: job.error,
  is_put_aside: isPutAside(job),
  next_attempt_at: job.status === 'waiting' ? toIso(job.runAt) : null,
  created_at: toIso(job.createdAt),
  started_at: toIsoOrNull(job.startedAt),
  finished_at: toIsoOrNull(job.finishedAt),
});
