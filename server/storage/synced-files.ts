// Writes files that survive a power cut: first the content is synced, then the file is renamed, then the folder is
// synced.
import type { Hash } from 'node:crypto';
import { mkdir, open, rename, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { isAbsent, withStorageErrors } from './file-errors.ts';

/** Writes and syncs a new file; returns its size in bytes. When it throws, the caller removes the file. */
export async function writeSynced(
  path: string,
  source: Readable | Buffer,
  hash: Hash | undefined,
  signal: AbortSignal | undefined,
): Promise<number> {
  const handle = await withStorageErrors(createTemp(path));
  try {
    let size = 0;
    for await (const chunk of Buffer.isBuffer(source) ? [source] : (source as AsyncIterable<Buffer>)) {
      signal?.throwIfAborted();
      hash?.update(chunk);
      await withStorageErrors(writeWhole(handle, chunk));
      size += chunk.length;
    }
    signal?.throwIfAborted();
    await withStorageErrors(handle.sync());
    return size;
  } finally {
    await handle.close();
  }
}

/** Creates a temp file, and the temp folder on first use. */
async function createTemp(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx');
  } catch (error) {
    if (!isAbsent(error)) throw error;
    await mkdir(dirname(path), { recursive: true });
    return open(path, 'wx');
  }
}

async function writeWhole(handle: FileHandle, chunk: Buffer): Promise<void> {
  for (let writtenBytes = 0; writtenBytes < chunk.length;) {
    const { bytesWritten } = await handle.write(chunk, writtenBytes);
    writtenBytes += bytesWritten;
  }
}

/** Renames a file and creates missing folders; the file and all folders are synced when it returns. */
export async function moveSynced(oldPath: string, newPath: string): Promise<void> {
  try {
    await rename(oldPath, newPath);
  } catch (error) {
    if (!isAbsent(error)) throw error;
    const topmostNewFolder = await mkdir(dirname(newPath), { recursive: true });
    await rename(oldPath, newPath);
    if (topmostNewFolder !== undefined) await syncAncestors(dirname(newPath), dirname(topmostNewFolder));
  }
  await syncFolder(dirname(newPath));
}

/** Syncs the folders above: a new folder survives a power cut only when the folder that contains it is synced. */
async function syncAncestors(folder: string, highestFolder: string): Promise<void> {
  for (let ancestor = folder; ancestor !== highestFolder && ancestor !== dirname(ancestor);)
    await syncFolder((ancestor = dirname(ancestor)));
}

/** Syncs a folder. Windows cannot sync folders and does not need that. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } catch (error) {
    if (!isUnsupported(error)) throw error;
  } finally {
    await handle.close();
  }
}

/** Returns whether the error says that folders cannot be synced, as on some network file systems. */
const isUnsupported = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'EINVAL' || error.code === 'ENOTSUP' || error.code === 'EISDIR');
