import { z } from 'zod';
import { TrackIdIn } from '../db/ids.ts';
import { task } from '../jobs/tasks.ts';

/** Enriches one track, after it was added or because a person asked for it (`isAsked`). */
export const ENRICH_TASK = task('enrich_task', {
  payload: z.strictObject({ trackId: TrackIdIn, isAsked: z.boolean().optional() }),
  attempts: 3,
  uniqueBy: ({ trackId, isAsked = false }) => `${trackId}${isAsked ? ' asked' : ''}`,
  concurrency: 4,
});

/**
 * Enriches all tracks of a scope. `unanswered` means those for which a service was down; this run is retried for a
 * week.
 */
export const ENRICH_LIBRARY = task('enrich_library', {
  payload: z.strictObject({ scope: z.enum(['pending', 'failed', 'all', 'unanswered']), askedAt: z.int() }),
  attempts: 170,
  backoff: { firstMs: 60_000, factor: 2, capMs: 3_600_000 },
  uniqueBy: ({ scope }) => scope,
  concurrency: 2,
});
