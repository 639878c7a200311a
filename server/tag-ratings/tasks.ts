import { z } from 'zod';
import { task } from '../jobs/tasks.ts';

/** Gives the ratings and play counts in the tags of all files to the account that the administrator named. */
export const READ_TAG_RATINGS = task('read_tag_ratings', {
  payload: z.strictObject({}),
  attempts: 20,
  backoff: { firstMs: 60_000, factor: 3, capMs: 6 * 3_600_000 },
  uniqueBy: () => 'library',
  concurrency: 1,
});
