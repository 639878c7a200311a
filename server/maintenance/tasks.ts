import { z } from 'zod';
import { task } from '../jobs/tasks.ts';

/**
 * Verifies all stored files, or today's part of them. Retries for a day while the storage is down, and continues where
 * it stopped.
 */
export const VERIFY_STORAGE = task('verify_storage', {
  payload: z.strictObject({ scope: z.enum(['all', 'part']) }),
  attempts: 150,
  backoff: { firstMs: 10_000, factor: 3, capMs: 600_000 },
  uniqueBy: ({ scope }) => scope,
  concurrency: 1,
});

/** Repairs the audio of a track that turned out to be lost or damaged when it was played. */
export const MEND_TRACK = task('mend_track', {
  payload: z.strictObject({ trackId: z.int() }),
  attempts: 20,
  backoff: { firstMs: 10_000, factor: 3, capMs: 3_600_000 },
  uniqueBy: ({ trackId }) => String(trackId),
  concurrency: 1,
});

/** Deletes stored objects that nothing refers to, or with `dryRun` only counts them. */
export const COLLECT_GARBAGE = task('collect_garbage', {
  payload: z.strictObject({ dryRun: z.boolean(), earlierLibrary: z.boolean().default(false) }),
  attempts: 5,
  backoff: { firstMs: 60_000, factor: 5, capMs: 3_600_000 },
  uniqueBy: ({ dryRun, earlierLibrary }) => `${dryRun} ${earlierLibrary}`,
  concurrency: 1,
});
