// The error that services throw. The REST and the Subsonic API each map its codes with a table (http/problem.ts,
// subsonic/errors.ts).

export type ErrorCode =
  | 'bad_request' // malformed request: 400
  | 'unauthenticated' // no token, or a wrong one: 401
  | 'forbidden' // known user without the right: 403
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'gone' // the audio existed and is missing now, or the share has ended: 410
  | 'precondition_failed' // If-Match and similar headers: 412
  | 'too_large' // 413
  | 'unsupported_type' // 415
  | 'range_not_satisfiable' // 416
  | 'invalid' // well-formed, but a value is not allowed: 422
  | 'too_many_requests' // 429
  | 'queue_unavailable' // 503
  | 'unavailable' // the storage or another part is down: 503
  | 'storage_full'; // 507

export interface FieldError {
  field: string;
  message: string;
  /** The received value, as JSON and shortened; absent for a missing value, and for secrets. */
  received?: string;
}

interface AppErrorOptions {
  fields?: FieldError[];
  /** Seconds after which a retry makes sense. */
  retryAfter?: number;
  cause?: unknown;
}

/** An error for users. `detail` is a sentence; it never contains paths outside the library, SQL or secrets. */
export class AppError extends Error {
  override name = 'AppError';
  readonly code: ErrorCode;
  readonly fields: FieldError[] | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, detail: string, options: AppErrorOptions = {}) {
    super(detail, { cause: options.cause });
    this.code = code;
    this.fields = options.fields;
    this.retryAfter = options.retryAfter;
  }
}

export const notFound = (itemKind: string, id?: number | string): AppError =>
  new AppError('not_found', id === undefined ? `There is no such ${itemKind}.` : `There is no ${itemKind} ${id}.`);

/** The answer to a request without a valid sign-in: 401. */
export const unauthenticated = (): AppError =>
  new AppError('unauthenticated', 'Sign in first: the access token is missing, invalid or expired.');

export const conflict = (detail: string): AppError => new AppError('conflict', detail);
export const forbidden = (detail = 'Only an administrator may do this.'): AppError => new AppError('forbidden', detail);
export const badRequest = (detail: string): AppError => new AppError('bad_request', detail);

/** Creates an error for one or more values that are not allowed; each message names its field. */
export const invalid = (fields: FieldError[]): AppError =>
  new AppError('invalid', fields.map((f) => `${f.field}: ${f.message}`).join('; '), { fields });

/** Returns the message of any thrown value, for a job's result or a log line. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** The message for a full disk. */
export const DISK_FULL = 'The disk is full. Free some space and try again; what was done so far is kept.';

/**
 * Returns whether an error of Node or SQLite means that the disk is full or the quota is used up. SQLite reports the
 * last code for the index of its log.
 */
export const isDiskFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE'].includes(codeOf(error));

/**
 * Returns whether the error, or one of its causes, says that another process holds the lock for writing. The thread
 * that serves requests never waits for this lock.
 */
export const isDatabaseLocked = (error: unknown): boolean =>
  codeOf(error).startsWith('SQLITE_BUSY') || (error instanceof Error && isDatabaseLocked(error.cause));

export const DATABASE_LOCKED =
  'Another program has locked the database. Nothing was changed; try again when it is done.';
/** The message for a missing database file. db/removed-database.ts uses it too, and makes the connection read-only. */
export const DATABASE_GONE =
  'The database file is missing, so nothing can be saved. An administrator has to check the server.';

/**
 * Returns whether an error of Node or SQLite says that one of the server's own files or folders may not be used, or
 * that its disk does not work.
 */
const isFolderFailing = (error: unknown): boolean =>
  (['EACCES', 'EPERM', 'EROFS', 'EIO', 'ENXIO', 'ESTALE'].includes(codeOf(error)) &&
    error instanceof Error &&
    'path' in error) ||
  codeOf(error).startsWith('SQLITE_IOERR') ||
  codeOf(error).startsWith('SQLITE_CANTOPEN');
const FOLDER_FAILING =
  'The server cannot use its folders: it may not, or their disk does not work. An administrator has to look at it; ' +
  'its log names the file.';

const LOCKED_RETRY_S = 2;
const GONE_RETRY_S = 30;

/** Converts errors of the system or the database that have a message for people, whatever operation failed. */
export function asKnownFault(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  if (isDiskFull(error)) return new AppError('storage_full', DISK_FULL, { cause: error });
  if (isDatabaseLocked(error))
    return new AppError('unavailable', DATABASE_LOCKED, { retryAfter: LOCKED_RETRY_S, cause: error });
  if (codeOf(error).startsWith('SQLITE_READONLY'))
    return new AppError('unavailable', DATABASE_GONE, { retryAfter: GONE_RETRY_S, cause: error });
  if (isFolderFailing(error))
    return new AppError('unavailable', FOLDER_FAILING, { retryAfter: GONE_RETRY_S, cause: error });
  return undefined;
}
