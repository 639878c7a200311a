// Provides a local file, because readers and fpcalc need a file whose path is valid text. Audio in an object store, or
// with a name in an old encoding, is copied to the temporary folder for the time of use.
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { AudioStore } from '../storage/audio-store.ts';

export interface LocalFileDeps {
  audioStore: AudioStore;
  tmpDir: string;
}

export interface LocalFile {
  path: string;
  /** Deletes the temporary copy, if there is one. */
  release(): Promise<void>;
}

/** Opens the audio at a storage URI as a local file. Throws `gone` or `unavailable`. */
export async function openLocalFile(
  { audioStore, tmpDir }: LocalFileDeps,
  storageUri: string,
  signal: AbortSignal,
): Promise<LocalFile> {
  const object = await audioStore.resolve(storageUri);
  const localPath = object.path === undefined ? undefined : textPathOf(object.path);
  if (localPath !== undefined) {
    await object.stat(); // throws `gone` if the file does not exist
    return { path: localPath, release: () => Promise.resolve() };
  }
  await mkdir(tmpDir, { recursive: true });
  const copy = join(tmpDir, `enrich-${randomUUID()}`);
  const release = (): Promise<void> => rm(copy, { force: true });
  try {
    await pipeline((await object.open()).stream, createWriteStream(copy, { mode: 0o600 }), { signal });
    return { path: copy, release };
  } catch (error) {
    await release();
    throw error;
  }
}

function textPathOf(path: string | Buffer): string | undefined {
  if (typeof path === 'string') return path;
  const text = path.toString('utf8');
  return Buffer.from(text).equals(path) ? text : undefined;
}
