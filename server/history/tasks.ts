import { z } from 'zod';
import { task } from '../jobs/tasks.ts';

/** Imports a file of plays from another service. */
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
