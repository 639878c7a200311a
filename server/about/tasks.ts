import { z } from 'zod';
import { task } from '../jobs/tasks.ts';

/** Looks up artists, albums and labels that are due. Retried for weeks while the services cannot be reached. */
export const LOOKUP_ABOUT = task('lookup_about', {
  payload: z.strictObject({}),
  attempts: 1_000,
  backoff: { firstMs: 60_000, factor: 3, capMs: 6 * 3_600_000 },
  uniqueBy: () => 'library',
  concurrency: 1,
});
