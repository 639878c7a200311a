import { z } from 'zod';
import { task } from '../jobs/tasks.ts';

/** Reads a file of plays that a person brought from another service. */
export const IMPORT_HISTORY = task('import_history', {
  payload: z.strictObject({ importId: z.int() }),
  attempts: 2,
  uniqueBy: ({ importId }) => importId,
  concurrency: 1,
});

/** Looks for the tracks of plays that have none. */
export const MATCH_HISTORY = task('match_history', {
  payload: z.strictObject({}),
  attempts: 2,
  uniqueBy: () => 'plays',
  concurrency: 1,
});

/** Sends a person's plays to the scrobbling service; waits up to an hour between attempts, for weeks when it must. */
export const SCROBBLE_TASK = task('scrobble_task', {
  payload: z.strictObject({ userId: z.int() }),
  attempts: 2_000,
  backoff: { firstMs: 10_000, factor: 3, capMs: 3_600_000 },
  uniqueBy: ({ userId }) => userId,
  concurrency: 1,
});
