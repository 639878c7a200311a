// Files of an export are written under a temporary name, synced, dated and renamed, so that a file with its final name
// is complete and need not be written again.
import { chmod, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { getSharedModes } from '../config/private-files.ts';
import { AppError, isDiskFull, messageOf } from '../errors.ts';

/** FAT stores times in steps of two seconds. */
const CLOCK_MS = 2_000;
const NO_MODES = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL']);

/** Whether the file is already there, by size and modification time. */
export async function isWritten(path: string, size: number, modifiedAt: Date): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true && found.size === size && Math.abs(found.mtimeMs - modifiedAt.getTime()) <= CLOCK_MS;
}

/** Returns the size in bytes. Throws `storage_full` or `unavailable` when writing fails, and the errors of `source`. */
export async function writeWhole(
  path: string,
  source: AsyncIterable<Buffer | string>,
  modifiedAt?: Date,
): Promise<number> {
  const part = `${path}.part`;
  const onDisk = async <T>(work: Promise<T>): Promise<T> =>
    work.catch((cause: unknown) => {
      throw toAppError(cause, path);
    });
  const modes = getSharedModes();
  await onDisk(makeFolder(dirname(path), modes.folder));
  await onDisk(rm(part, { force: true })); // of an interrupted run, or what somebody put there: a link or a pipe
  const file = await onDisk(open(part, 'wx'));
  let size = 0;
  try {
    for await (const chunk of source) {
      await onDisk(file.writeFile(chunk));
      size += Buffer.byteLength(chunk);
    }
    await shared(file.chmod(modes.file));
    await onDisk(file.sync());
    if (modifiedAt) await onDisk(file.utimes(modifiedAt, modifiedAt));
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
  await onDisk(file.close());
  await onDisk(rename(part, path));
  return size;
}

async function makeFolder(path: string, mode: number): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  for (let made = path; first !== undefined && made.length >= first.length; made = dirname(made))
    await shared(chmod(made, mode));
}

/** Memory sticks and network shares may have no modes. */
async function shared(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && NO_MODES.has(String(error.code)))) throw error;
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
