// The one declaration of background tasks. Each is handled in the room that owns the work; app.ts binds the handlers,
// and a task without one does not compile. Payloads carry ids, not rows, and are parsed again when they are taken off
// the queue.
import { hash } from 'node:crypto';
import { z } from 'zod';
import { ArtistIdIn, DownloadIdIn, TrackIdIn, type JobId } from '../db/ids.ts';
import { DEFAULT_BACKOFF, type Backoff } from './backoff.ts';
import type { YieldToRequests } from './yield-to-requests.ts';

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
  /** Reads a file of plays that a person brought from another service. */
  import_history: task({
    payload: z.strictObject({ importId: z.int() }),
    attempts: 2,
    uniqueBy: ({ importId }) => importId,
    concurrency: 1,
  }),
  /** Looks for the tracks of plays that have none. */
  match_history: task({
    payload: z.strictObject({}),
    attempts: 2,
    uniqueBy: () => 'plays',
    concurrency: 1,
  }),
  /** Sends a person's plays to the scrobbling service; waits up to an hour between attempts, for weeks when it must. */
  scrobble_task: task({
    payload: z.strictObject({ userId: z.int() }),
    attempts: 2_000,
    backoff: { firstMs: 10_000, factor: 3, capMs: 3_600_000 },
    uniqueBy: ({ userId }) => userId,
    concurrency: 1,
  }),
  /**
   * Walks the music folder, or folders below it. `restore` also brings back tracks that were deleted; `dryRun` only
   * tells what would change. Tried again, for a day, only while the object store that copies go to is down.
   */
  scan_local_folder: task({
    payload: z.strictObject({
      paths: z.array(z.string()).optional(),
      restore: z.boolean().optional(),
      dryRun: z.boolean().optional(),
    }),
    attempts: 150,
    backoff: { firstMs: 10_000, factor: 3, capMs: 600_000 },
    // what runs may have passed the folder that another one asks for
    uniqueBy: (payload) => hash('sha256', JSON.stringify(payload)),
    concurrency: 1,
  }),
  /** Puts the credits of many tracks together, or apart, after somebody said whether a name is one artist. */
  settle_credits: task({
    payload: z.strictObject({ artistId: ArtistIdIn }),
    attempts: 3,
    uniqueBy: ({ artistId }) => artistId,
    concurrency: 1,
  }),
  /** Finds out what one track is: after an upload, or because a person asked (`isAsked`). */
  enrich_task: task({
    payload: z.strictObject({ trackId: TrackIdIn, isAsked: z.boolean().optional() }),
    attempts: 3,
    uniqueBy: ({ trackId, isAsked = false }) => `${trackId}${isAsked ? ' asked' : ''}`,
    concurrency: 4,
  }),
  /**
   * The same for all tracks of a kind. `unanswered`: those of which a service that was down could not be asked; it is
   * tried again for a week.
   */
  enrich_library: task({
    payload: z.strictObject({ scope: z.enum(['pending', 'failed', 'all', 'unanswered']), askedAt: z.int() }),
    attempts: 170,
    backoff: { firstMs: 60_000, factor: 2, capMs: 3_600_000 },
    uniqueBy: ({ scope }) => scope,
    concurrency: 2,
  }),
  /** Fetches a track's audio from the remote catalogue, in line with others. */
  download_task: task({
    payload: z.strictObject({ downloadId: DownloadIdIn }),
    attempts: 5,
    backoff: DEFAULT_BACKOFF,
    uniqueBy: ({ downloadId }) => downloadId,
    concurrency: 2,
  }),
  /** The same for a track that somebody wants to hear now: it waits behind no list of others. */
  materialize_track: task({
    payload: z.strictObject({ downloadId: DownloadIdIn }),
    attempts: 5,
    backoff: DEFAULT_BACKOFF,
    uniqueBy: ({ downloadId }) => downloadId,
    concurrency: 3,
  }),
  /** Copies the library to the place for backups, or to another one. */
  backup_task: task({
    payload: z.strictObject({ to: z.string().optional() }),
    attempts: 3,
    backoff: { firstMs: 60_000, factor: 10, capMs: 3_600_000 },
    uniqueBy: ({ to = '' }) => to,
    concurrency: 1,
  }),
  /**
   * Fetches a snapshot of the backup: into another folder, or beside the library for the next start to put into its
   * place.
   */
  restore_task: task({
    payload: z.strictObject({ snapshot: z.string(), folder: z.string().optional() }),
    attempts: 1,
    uniqueBy: ({ snapshot, folder = '' }) => `${snapshot} ${folder}`,
    concurrency: 1,
  }),
  /** Writes the library into a folder in a form for people and other programs. */
  export_task: task({
    payload: z.strictObject({ folder: z.string() }),
    attempts: 1,
    uniqueBy: ({ folder }) => folder,
    concurrency: 1,
  }),
  /**
   * Compares stored audio with its checksums: all of it, or today's part. Waits, for a day, while the storage is down,
   * and goes on where it was.
   */
  verify_storage: task({
    payload: z.strictObject({ scope: z.enum(['all', 'part']) }),
    attempts: 150,
    backoff: { firstMs: 10_000, factor: 3, capMs: 600_000 },
    uniqueBy: ({ scope }) => scope,
    concurrency: 1,
  }),
  /** Deletes stored objects that nothing refers to, or only tells which. */
  collect_garbage: task({
    payload: z.strictObject({ dryRun: z.boolean() }),
    attempts: 5,
    backoff: { firstMs: 60_000, factor: 5, capMs: 3_600_000 },
    uniqueBy: ({ dryRun }) => String(dryRun),
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
  /**
   * Asks the cover archive for albums that have none near by; waits up to an hour between attempts, for weeks, while
   * that cannot be reached.
   */
  cover_archive_task: task({
    payload: z.strictObject({}),
    attempts: 500,
    backoff: { firstMs: 60_000, factor: 3, capMs: 3_600_000 },
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
  /** To be awaited between pieces of work that keep this thread. */
  yieldToRequests: YieldToRequests;
}

/**
 * Does the work and gives back the job's result (JSON). May run twice for the same job, so it begins by asking whether
 * there is still work. Anything thrown is tried again while attempts are left; `throw permanent(error)` ends the job at
 * once.
 */
export type TaskHandler<S extends TaskSpec> = (
  payload: z.output<S['payload']>,
  context: JobContext,
) => Promise<unknown>;
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
