// Converts system errors of files to AppErrors.
import { AppError, isDiskFull } from '../errors.ts';
import { NotAFile } from '../runtime/plain-files.ts';

const ABSENT_CODES = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'];

/** Returns true if the error says that nothing exists at the path. */
export const isAbsent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ABSENT_CODES.includes(String(error.code));

/** Converts the errors of the storage's own file operations; errors of a source being read stay as they are. */
export async function withStorageErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw asStorageError(error);
  }
}

export function asStorageError(error: unknown): unknown {
  if (isDiskFull(error))
    return new AppError('storage_full', 'The disk that holds the library is full. Free some space and try again.', {
      cause: error,
    });
  if (error instanceof NotAFile) return new AppError('unavailable', error.message, { cause: error });
  if (error instanceof AppError || !(error instanceof Error && 'syscall' in error)) return error;
  return new AppError('unavailable', 'The library folder cannot be read or written.', { cause: error });
}

/** Thrown when the store reports that the content of an object differs from what was stored. */
export class DamagedObjectError extends AppError {
  constructor(cause: unknown) {
    super('unavailable', 'The object store returned damaged audio.', { cause });
  }
}

/** Creates the error for audio whose hash or size changed between two reads. */
export const fileChangedError = (): AppError => new AppError('conflict', 'The file changed while it was read.');
