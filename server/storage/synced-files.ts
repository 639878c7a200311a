// Writes files that survive a power cut: the content is synced before the rename, the folder after it.
import type { Hash } from 'node:crypto';
import { mkdir, open, rename, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { isAbsent, ours } from './file-errors.ts';

/** Writes and syncs a new file; returns its size in bytes. When it throws, the caller removes the file. */
export async function writeSynced(
  path: string,
  source: Readable | Buffer,
  hash: Hash | undefined,
  signal: AbortSignal | undefined,
): Promise<number> {
  const handle = await ours(createTemp(path));
  try {
    let size = 0;
    for await (const chunk of Buffer.isBuffer(source) ? [source] : (source as AsyncIterable<Buffer>)) {
      signal?.throwIfAborted();
      hash?.update(chunk);
      await ours(writeWhole(handle, chunk));
      size += chunk.length;
    }
    signal?.throwIfAborted();
    await ours(handle.sync());
    return size;
  } finally {
    await handle.close();
  }
}

/** Creates the temp folder on first use. */
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
  for (let done = 0; done < chunk.length;) {
    const { bytesWritten } = await handle.write(chunk, done);
    done += bytesWritten;
  }
}

/** Renames a file, creating missing folders; all of it is synced when this returns. */
export async function moveSynced(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!isAbsent(error)) throw error;
    const first = await mkdir(dirname(to), { recursive: true });
    await rename(from, to);
    if (first !== undefined) await syncAncestors(dirname(to), dirname(first));
  }
  await syncFolder(dirname(to));
}

/** A new folder survives a power cut once the folder that holds it is synced. */
async function syncAncestors(folder: string, highest: string): Promise<void> {
  for (let at = folder; at !== highest && at !== dirname(at);) await syncFolder((at = dirname(at)));
}

/** Windows cannot sync folders and does not need it. */
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

/** Some network file systems cannot sync folders. */
const isUnsupported = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'EINVAL' || error.code === 'ENOTSUP' || error.code === 'EISDIR');
