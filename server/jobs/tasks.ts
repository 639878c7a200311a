// Declarations of background tasks. Each task is declared by the module that does the work. Payloads contain ids, not
// rows, and are parsed again when the job runs.
import type { z } from 'zod';
import type { JobId } from '../db/ids.ts';
import type { Backoff } from './backoff.ts';

export interface Task<P extends z.ZodType = z.ZodType> {
  /** The name of the task, which is stored in the job's row. */
  name: string;
  payload: P;
  /**
   * Maximum number of attempts. An attempt that a stop or a kill interrupted does not count, see `crashes` in the job's
   * row.
   */
  attempts: number;
  /**
   * Set if each request for this work has a new reason, such as a change in a music folder: the work may start by
   * itself although an earlier job was put on hold.
   */
  isAskedByChanges?: boolean;
  /** Wait between attempts; by default DEFAULT_BACKOFF. */
  backoff?: Backoff;
  /** Returns the key of a job. There is at most one unfinished job per key; enqueueing again returns that job. */
  uniqueBy?(payload: z.output<P>): string | number;
  /** Maximum number of jobs of this task that run at the same time. */
  concurrency: number;
}

export const task = <P extends z.ZodType>(name: string, spec: Omit<Task<P>, 'name'>): Task<P> => ({ name, ...spec });

export interface JobContext {
  jobId: JobId;
  /** Number of the attempt, beginning with 1. */
  attempt: number;
  /** Aborted when the job is cancelled or the server stops; the handler should then throw soon. */
  signal: AbortSignal;
  /** Reports progress as shown in the API. Cheap to call often, because it is stored only a few times a second. */
  progress(done: number, total: number | null, message?: string): void;
}

/**
 * Does the work and returns the job's result (JSON). A handler may run twice for the same job, so it first checks
 * whether there is still work. Errors are retried while attempts remain; `throw permanent(error)` fails the job at
 * once.
 */
export type Handler<T extends Task> = (payload: z.output<T['payload']>, context: JobContext) => Promise<unknown>;

/** A task with its handler, without their types: `handledBy` checks that they fit together. */
export interface HandledTask {
  task: Task;
  handle: (payload: unknown, context: JobContext) => Promise<unknown>;
  /** Called when the job was put on hold, to tell whoever waits for the work. */
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

/** Marks an error that no retry can fix (not found, forbidden, unsupported). */
export const permanent = (error: unknown): Error =>
  new PermanentError(error instanceof Error ? error.message : String(error), { cause: error });

export const isPermanent = (error: unknown): boolean => error instanceof PermanentError;
