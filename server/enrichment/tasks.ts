import { z } from 'zod';
import { TrackIdIn } from '../db/ids.ts';
import { task } from '../jobs/tasks.ts';

/** Finds out what one track is: after an upload, or because a person asked (`isAsked`). */
export const ENRICH_TASK = task('enrich_task', {
  payload: z.strictObject({ trackId: TrackIdIn, isAsked: z.boolean().optional() }),
  attempts: 3,
  uniqueBy: ({ trackId, isAsked = false }) => `${trackId}${isAsked ? ' asked' : ''}`,
  concurrency: 4,
});

/**
 * The same for all tracks of a kind. `unanswered`: those of which a service that was down could not be asked; it is
 * tried again for a week.
 */
export const ENRICH_LIBRARY = task('enrich_library', {
  payload: z.strictObject({ scope: z.enum(['pending', 'failed', 'all', 'unanswered']), askedAt: z.int() }),
  attempts: 170,
  backoff: { firstMs: 60_000, factor: 2, capMs: 3_600_000 },
  uniqueBy: ({ scope }) => scope,
  concurrency: 2,
});
