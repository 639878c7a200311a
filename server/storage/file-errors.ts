// What the codes of file system errors mean to us.
import { AppError, isDiskFull } from '../errors.ts';

const ABSENT = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'];

/** True when the error says that there is nothing under that name. */
export const isAbsent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ABSENT.includes(String(error.code));

/** For our own file operations: their errors become ours, while those of a source being read stay as they are. */
export async function ours<T>(work: Promise<T>): Promise<T> {
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
  if (error instanceof AppError || !(error instanceof Error && 'syscall' in error)) return error;
  return new AppError('unavailable', 'The library folder cannot be read or written.', { cause: error });
}

/** Audio whose hash was known turned out to have another. */
export const changedMeanwhile = (): AppError => new AppError('conflict', 'The file changed while it was read.');
