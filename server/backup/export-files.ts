// Writes the files of an export. Each is written under a temporary name, synced, dated and renamed, so that a file with
// its final name is complete and need not be written again.
import { chmod, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { getSharedModes } from '../config/private-files.ts';
import { AppError, isDiskFull, messageOf } from '../errors.ts';

/** FAT stores times in steps of two seconds. */
const MAX_TIME_DIFFERENCE_MS = 2_000;
const NO_MODES_CODES = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL']);

/** Returns whether a file with this size and modification time exists, so that it need not be written again. */
export async function isWritten(path: string, size: number, modifiedAt: Date): Promise<boolean> {
  const fileStat = await stat(path).catch(() => undefined);
  return (
    fileStat?.isFile() === true &&
    fileStat.size === size &&
    Math.abs(fileStat.mtimeMs - modifiedAt.getTime()) <= MAX_TIME_DIFFERENCE_MS
  );
}

/**
 * Writes a file and returns its size in bytes. Throws `storage_full` or `unavailable` when writing fails, and the
 * errors of `source`.
 */
export async function writeWhole(
  path: string,
  source: AsyncIterable<Buffer | string>,
  modifiedAt?: Date,
): Promise<number> {
  const partPath = `${path}.part`;
  const withWriteErrors = async <T>(work: Promise<T>): Promise<T> =>
    work.catch((cause: unknown) => {
      throw toAppError(cause, path);
    });
  const modes = getSharedModes();
  await withWriteErrors(createFolder(dirname(path), modes.folder));
  // an interrupted run may have left something there, even a link or a pipe
  await withWriteErrors(rm(partPath, { force: true }));
  const file = await withWriteErrors(open(partPath, 'wx'));
  let size = 0;
  try {
    for await (const chunk of source) {
      await withWriteErrors(file.writeFile(chunk));
      size += Buffer.byteLength(chunk);
    }
    await ignoreMissingModes(file.chmod(modes.file));
    await withWriteErrors(file.sync());
    if (modifiedAt) await withWriteErrors(file.utimes(modifiedAt, modifiedAt));
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(partPath, { force: true }).catch(() => undefined);
    throw error;
  }
  await withWriteErrors(file.close());
  await withWriteErrors(rename(partPath, path));
  return size;
}

async function createFolder(path: string, mode: number): Promise<void> {
  const firstCreated = await mkdir(path, { recursive: true });
  for (let folder = path; firstCreated !== undefined && folder.length >= firstCreated.length; folder = dirname(folder))
    await ignoreMissingModes(chmod(folder, mode));
}

/** Ignores errors from setting modes, which memory sticks and network shares may not support. */
async function ignoreMissingModes(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && NO_MODES_CODES.has(String(error.code)))) throw error;
  });
}

function toAppError(cause: unknown, path: string): AppError {
  if (isDiskFull(cause))
    return new AppError(
      'storage_full',
      'The disk of the export is full. Free some space and run the export again; it resumes where it stopped.',
      { cause },
    );
  return new AppError('unavailable', `The export cannot write ${path} (${messageOf(cause)}).`, { cause });
}
