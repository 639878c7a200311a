// A background task is declared by the module that does the work. Payloads carry ids, not rows, and are parsed again when
// they are taken off the queue.
import type { z } from 'zod';
import type { JobId } from '../db/ids.ts';
import type { Backoff } from './backoff.ts';
import type { YieldToRequests } from './yield-to-requests.ts';

export interface Task<P extends z.ZodType = z.ZodType> {
  /** As the job's row keeps it. */
  name: string;
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

export const task = <P extends z.ZodType>(name: string, spec: Omit<Task<P>, 'name'>): Task<P> => ({ name, ...spec });

export interface JobContext {
  jobId: JobId;
  /** 1 at the first attempt. */
  attempt: number;
  /** Aborted when the job is cancelled or the server stops; a handler should then end soon, and throw. */
  signal: AbortSignal;
  /** What people see while the job runs. Cheap to call often: written a few times a second at most. */
  progress(done: number, total: number | null, message?: string): void;
  /** To be awaited between pieces of work that keep this thread. */
  yieldToRequests: YieldToRequests;
}

/**
 * Does the work and gives back the job's result (JSON). May run twice for the same job, so it begins by asking whether
 * there is still work. Anything thrown is tried again while attempts are left; `throw permanent(error)` ends the job at
 * once.
 */
export type Handler<T extends Task> = (payload: z.output<T['payload']>, context: JobContext) => Promise<unknown>;

/** A task with its handler; which payload goes to which was checked where they were put together. */
export interface HandledTask {
  task: Task;
  handle: (payload: unknown, context: JobContext) => Promise<unknown>;
}

export const handledBy = <P extends z.ZodType>(task: Task<P>, handle: Handler<Task<P>>): HandledTask => ({
  task,
  handle: handle as HandledTask['handle'],
});

class PermanentError extends Error {
  override name = 'PermanentError';
}

/** Wraps an error that trying again cannot cure (not found, forbidden, unsupported). */
export const permanent = (error: unknown): Error =>
  new PermanentError(error instanceof Error ? error.message : String(error), { cause: error });

export const isPermanent = (error: unknown): boolean => error instanceof PermanentError;
