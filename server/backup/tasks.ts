import { z } from 'zod';
import { task } from '../jobs/tasks.ts';

/** Backs up the library to the configured place, or to `to`. */
export const BACKUP_TASK = task('backup_task', {
  payload: z.strictObject({ to: z.string().optional() }),
  attempts: 3,
  backoff: { firstMs: 60_000, factor: 10, capMs: 3_600_000 },
  uniqueBy: ({ to = '' }) => to,
  concurrency: 1,
});

/** Checks the configured backup. Reads `percent` of its contents, by default the part that the settings say. */
export const CHECK_TASK = task('check_backup', {
  payload: z.strictObject({ to: z.string().optional(), percent: z.number().min(0).max(100).optional() }),
  attempts: 3,
  backoff: { firstMs: 60_000, factor: 10, capMs: 3_600_000 },
  uniqueBy: ({ to = '', percent }) => `${to} ${percent ?? ''}`,
  concurrency: 1,
});

/**
 * Restores a snapshot into another folder, or prepares it to replace the library of this server at the next start.
 * `from` is the folder of an export, which is used instead of the configured backup. With `isAccepted`, the changes to
 * accounts, settings and folders are taken.
 */
export const RESTORE_TASK = task('restore_task', {
  payload: z.strictObject({
    snapshot: z.string(),
    folder: z.string().optional(),
    from: z.string().optional(),
    isAccepted: z.boolean().default(false),
  }),
  attempts: 1,
  uniqueBy: ({ snapshot, folder = '' }) => `${snapshot} ${folder}`,
  concurrency: 1,
});

/** Exports the library in open formats into a folder. */
export const EXPORT_TASK = task('export_task', {
  payload: z.strictObject({ folder: z.string() }),
  attempts: 1,
  uniqueBy: ({ folder }) => folder,
  concurrency: 1,
});
