import { z } from 'zod';
import { task } from '../jobs/tasks.ts';

/** Imports a file of plays from another service. */
export const IMPORT_HISTORY = task('import_history', {
  payload: z.strictObject({ importId: z.int() }),
  attempts: 2,
  uniqueBy: ({ importId }) => importId,
  concurrency: 1,
});

/** Looks for the tracks of plays without one. */
export const MATCH_HISTORY = task('match_history', {
  payload: z.strictObject({}),
  attempts: 2,
  uniqueBy: () => 'plays',
  concurrency: 1,
});

/** Sends the queued plays of a user to ListenBrainz. Retried for weeks, up to an hour apart. */
export const SCROBBLE_TASK = task('scrobble_task', {
  payload: z.strictObject({ userId: z.int() }),
  attempts: 2_000,
  backoff: { firstMs: 10_000, factor: 3, capMs: 3_600_000 },
  uniqueBy: ({ userId }) => userId,
  concurrency: 1,
});
