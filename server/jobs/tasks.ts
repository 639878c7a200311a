// The one declaration of background tasks. Each is handled in the room that owns the work; app.ts binds the handlers, and a task
// without one does not compile. Payloads carry ids, not rows, and are parsed again when they are taken off the queue.
import { z } from 'zod';
import type { JobId } from '../db/ids.ts';
import type { Backoff } from './backoff.ts';

export interface TaskSpec<P extends z.ZodType = z.ZodType> {
  payload: P;
  /** Attempts before a job is given up; one that a stop or a kill cut off does not count. */
  attempts: number;
  /** Wait between attempts; DEFAULT_BACKOFF when absent. */
  backoff?: Backoff;
  /** At most one unfinished job per key; asking again gives that one back. */
  uniqueBy?(payload: z.output<P>): string | number;
  /** Jobs of this task that run at the same time. */
  concurrency: number;
}

export type TaskTable = Record<string, TaskSpec>;

export const task = <P extends z.ZodType>(spec: TaskSpec<P>): TaskSpec<P> => spec;

export const TASKS = {
  /** Walks the music folder, or a folder below it. `restore` also brings back tracks that were deleted. */
  scan_local_folder: task({
    payload: z.strictObject({ path: z.string().optional(), restore: z.boolean().optional() }),
    attempts: 1,
    uniqueBy: () => 'local_folder',
    concurrency: 1,
  }),
  /** Finds covers for the albums that were not looked at yet. */
  cover_task: task({
    payload: z.strictObject({}),
    attempts: 3,
    backoff: { firstMs: 5_000, factor: 4, capMs: 300_000 },
    uniqueBy: () => 'albums',
    concurrency: 1,
  }),
};

export type TaskName = keyof typeof TASKS;

export interface JobContext {
  jobId: JobId;
  /** 1 at the first attempt. */
  attempt: number;
  /** Aborted when the job is cancelled or the server stops; a handler should then end soon, and throw. */
  signal: AbortSignal;
  /** What people see while the job runs. Cheap to call often: written a few times a second at most. */
  progress(done: number, total: number | null, message?: string): void;
}

/**
 * Does the work and gives back the job's result (JSON). May run twice for the same job, so it begins by asking whether there is still work.
 * Anything thrown is tried again while attempts are left; `throw permanent(error)` ends the job at once.
 */
export type TaskHandler<S extends TaskSpec> = (payload: z.output<S['payload']>, context: JobContext) => Promise<unknown>;
export type HandlersOf<T extends TaskTable> = { [Name in keyof T]: TaskHandler<T[Name]> };

export type Handler<Name extends TaskName> = TaskHandler<(typeof TASKS)[Name]>;
export type Handlers = HandlersOf<typeof TASKS>;

class PermanentError extends Error {
  override name = 'PermanentError';
}

/** Wraps an error that trying again cannot cure (not found, forbidden, unsupported). */
export const permanent = (error: unknown): Error =>
  new PermanentError(error instanceof Error ? error.message : String(error), { cause: error });

export const isPermanent = (error: unknown): boolean => error instanceof PermanentError;
