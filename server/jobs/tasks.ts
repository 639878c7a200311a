// A background task is declared by the module that does the work. Payloads carry ids, not rows, and are parsed again
// when they are taken off the queue.
import type { z } from 'zod';
import type { JobId } from '../db/ids.ts';
import type { Backoff } from './backoff.ts';

export interface Task<P extends z.ZodType = z.ZodType> {
  /** The name that is stored in the job's row. */
  name: string;
  payload: P;
  /** Attempts before a job fails; one cut off by a stop or a kill does not count, see `crashes` of the job's row. */
  attempts: number;
  /**
   * Each request for this work has a new reason, such as a change in a music folder: the work may begin by itself
   * although an earlier job was put aside.
   */
  isAskedByChanges?: boolean;
  /** Wait between attempts; DEFAULT_BACKOFF when absent. */
  backoff?: Backoff;
  /** There is at most one unfinished job per key; enqueueing again returns that job. */
  uniqueBy?(payload: z.output<P>): string | number;
  /** Jobs of this task that run at the same time. */
  concurrency: number;
}

export const task = <P extends z.ZodType>(name: string, spec: Omit<Task<P>, 'name'>): Task<P> => ({ name, ...spec });

export interface JobContext {
  jobId: JobId;
  /** Counts from 1. */
  attempt: number;
  /** Aborted when the job is cancelled or the server stops; the handler should then throw soon. */
  signal: AbortSignal;
  /** Progress as shown in the API. Cheap to call often: stored a few times a second at most. */
  progress(done: number, total: number | null, message?: string): void;
}

/**
 * Does the work and returns the job's result (JSON). May run twice for the same job, so it checks first whether there
 * is still work. Errors are retried while attempts are left; `throw permanent(error)` fails the job at once.
 */
export type Handler<T extends Task> = (payload: z.output<T['payload']>, context: JobContext) => Promise<unknown>;

/** A task with its handler; which payload goes to which was checked where they were put together. */
export interface HandledTask {
  task: Task;
  handle: (payload: unknown, context: JobContext) => Promise<unknown>;
  /** Tells whoever waits for the work that it was put aside. */
  onPutAside?: ((payload: unknown) => void) | undefined;
}

export const handledBy = <P extends z.ZodType>(
  task: Task<P>,
  handle: Handler<Task<P>>,
  onPutAside?: (payload: z.output<P>) => void,
): HandledTask => ({
  task,
  handle: handle as HandledTask['handle'],
  onPutAside: onPutAside as HandledTask['onPutAside'],
});

class PermanentError extends Error {
  override name = 'PermanentError';
}

/** Marks an error that a retry cannot fix (not found, forbidden, unsupported). */
export const permanent = (error: unknown): Error =>
  new PermanentError(error instanceof Error ? error.message : String(error), { cause: error });

export const isPermanent = (error: unknown): boolean => error instanceof PermanentError;
