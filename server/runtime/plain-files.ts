// Opens files that others may have created: in music folders, backups and exports. Instead of a regular file there may
// be a named pipe or a device, which would block a thread of the server until its other end is opened.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/**
 * The flags for opening regular files. Without O_NONBLOCK, which Windows lacks, opening a named pipe waits for its
 * other end.
 */
export const PLAIN_READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The error for a path that is a folder, a pipe or a device. Callers handle it like an error of the system. */
export class NotAFile extends Error {
  override name = 'NotAFile';
  readonly code = 'ENOTFILE';
  readonly syscall = 'open';
  constructor(path: string | Buffer) {
    super(`${String(path)} is not a file.`);
  }
}

/** Opens a file for reading. Throws NotAFile, and the system's errors. */
export async function openPlainFile(path: string | Buffer): Promise<{ handle: FileHandle; size: number }> {
  const handle = await open(path, PLAIN_READ_FLAGS);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new NotAFile(path);
    return { handle, size: stats.size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Opens a file synchronously, for threads that may wait for the disk; the caller closes the descriptor. */
export function openPlainFileSync(path: string | Buffer): { fd: number; size: number } {
  const fd = openSync(path, PLAIN_READ_FLAGS);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new NotAFile(path);
    return { fd, size: stats.size };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Reads the beginning of a file, up to `maxBytes`. Throws the same errors as openPlainFile. */
export async function readPlainFile(path: string | Buffer, maxBytes: number): Promise<Buffer> {
  const { handle, size } = await openPlainFile(path);
  try {
    const bytes = Buffer.allocUnsafe(Math.min(size, maxBytes));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/**
 * Reads a whole file; returns undefined when the file has more than `maxBytes`. Throws the same errors as
 * openPlainFile.
 */
export function readPlainFileSync(path: string | Buffer, maxBytes: number): Buffer | undefined {
  const { fd, size } = openPlainFileSync(path);
  try {
    if (size > maxBytes) return undefined;
    const bytes = Buffer.allocUnsafe(size);
    let readBytes = 0;
    for (let count = -1; count !== 0 && readBytes < size; readBytes += count)
      count = readSync(fd, bytes, readBytes, size - readBytes, readBytes);
    return bytes.subarray(0, readBytes);
  } finally {
    closeSync(fd);
  }
}
