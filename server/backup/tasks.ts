import { z } from 'zod';
import { task } from '../jobs/tasks.ts';

/** Copies the library to the place for backups, or to another one. */
export const BACKUP_TASK = task('backup_task', {
  payload: z.strictObject({ to: z.string().optional() }),
  attempts: 3,
  backoff: { firstMs: 60_000, factor: 10, capMs: 3_600_000 },
  uniqueBy: ({ to = '' }) => to,
  concurrency: 1,
});

/**
 * Fetches a snapshot of the backup: into another folder, or beside the library for the next start to put into its
 * place.
 */
export const RESTORE_TASK = task('restore_task', {
  payload: z.strictObject({ snapshot: z.string(), folder: z.string().optional() }),
  attempts: 1,
  uniqueBy: ({ snapshot, folder = '' }) => `${snapshot} ${folder}`,
  concurrency: 1,
});

/** Writes the library into a folder in a form for people and other programs. */
export const EXPORT_TASK = task('export_task', {
  payload: z.strictObject({ folder: z.string() }),
  attempts: 1,
  uniqueBy: ({ folder }) => folder,
  concurrency: 1,
});
