// Files of an export: written beside, flushed, dated and renamed, so that a file under its name is whole and need not
// be written again.
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError, isDiskFull, messageOf } from '../errors.ts';

/** Memory sticks keep even seconds. */
const CLOCK_MS = 2_000;

/** True when the file has been written before: audio gets a new time when it gets new content. */
export async function isWritten(path: string, size: number, modifiedAt: Date): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true && found.size === size && Math.abs(found.mtimeMs - modifiedAt.getTime()) <= CLOCK_MS;
}

/** Errors of the source come out as they are, those of the disk in words. Its size. */
export async function writeWhole(
  path: string,
  source: AsyncIterable<Buffer | string>,
  modifiedAt?: Date,
): Promise<number> {
  const part = `${path}.part`;
  const told = async <T>(work: Promise<T>): Promise<T> =>
    work.catch((cause: unknown) => {
      throw inWords(cause, path);
    });
  await told(mkdir(dirname(path), { recursive: true }));
  const file = await told(open(part, 'w'));
  let size = 0;
  try {
    for await (const chunk of source) {
      await told(file.writeFile(chunk));
      size += Buffer.byteLength(chunk);
    }
    await told(file.sync());
    if (modifiedAt) await told(file.utimes(modifiedAt, modifiedAt));
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
  await told(file.close());
  await told(rename(part, path));
  return size;
}

function inWords(cause: unknown, path: string): AppError {
  if (isDiskFull(cause))
    return new AppError(
      'storage_full',
      'There is no room left for the export. Free some space there; what was written stays, and the next try ' +
        'goes on from here.',
      { cause },
    );
  return new AppError('unavailable', `The export cannot write ${path} (${messageOf(cause)}).`, { cause });
}
