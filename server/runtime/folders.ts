// Folders that the server needs, and in words what keeps it from using one.
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AppError, isDiskFull, messageOf } from '../errors.ts';

/** A sentence's beginning ("The data folder") and what to do, as a sentence. */
export interface FolderWords {
  name: string;
  remedy: string;
}

/** Throws `unavailable` when the path, or what should be a folder above it, is a file. The folder need not exist. */
export function assertNoFile(path: string, { name, remedy }: FolderWords): void {
  const full = resolve(path);
  for (let at = full; ; at = dirname(at)) {
    const isFolder = lookAt(at);
    if (isFolder === false)
      throw new AppError('unavailable', `${name} ${full} cannot be used: ${at} is a file, not a folder. ${remedy}`);
    if (isFolder || at === dirname(at)) return;
  }
}

/** Undefined when nothing is there, or it may not be looked at: using it says why. */
function lookAt(path: string): boolean | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory();
  } catch {
    return undefined;
  }
}

/** Throws `unavailable` when the folder cannot be made. */
export function makeFolder(path: string, words: FolderWords): void {
  assertNoFile(path, words);
  try {
    mkdirSync(path, { recursive: true });
  } catch (cause) {
    if (isDiskFull(cause)) throw cause;
    throw new AppError('unavailable', `${words.name} ${path} cannot be made (${messageOf(cause)}). ${words.remedy}`, {
      cause,
    });
  }
}
