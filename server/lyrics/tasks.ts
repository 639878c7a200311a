import { z } from 'zod';
import { task } from '../jobs/tasks.ts';

/** Looks up the lyrics of all tracks that have none. Retried for weeks while the service cannot be reached. */
export const LOOKUP_LYRICS = task('lookup_lyrics', {
  payload: z.strictObject({}),
  attempts: 1_000,
  backoff: { firstMs: 60_000, factor: 3, capMs: 6 * 3_600_000 },
  uniqueBy: () => 'library',
  concurrency: 1,
});
