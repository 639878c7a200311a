// Folders that the server needs, and in words what keeps it from using one.
import { accessSync, closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
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
    makeWithParents(resolve(path));
  } catch (cause) {
    if (isDiskFull(cause)) throw cause;
    throw new AppError('unavailable', `${words.name} ${path} cannot be made (${messageOf(cause)}). ${words.remedy}`, {
      cause,
    });
  }
}

/** Node's own `recursive` never returns where the system says ENOENT for a folder in one that exists, as in /proc. */
function makeWithParents(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeWithParents(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if (!existsSync(path)) throw error; // else another process was faster
  }
}

/**
 * Throws `unavailable`, saying whose it is and why it cannot be used, when this account cannot read and write the
 * folder or one of these files in it.
 */
export function assertUsable(folder: string, files: readonly string[], { name, remedy }: FolderWords): void {
  for (const path of [folder, ...files.map((file) => join(folder, file))]) {
    try {
      accessSync(path, constants.R_OK | constants.W_OK | (path === folder ? constants.X_OK : 0));
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
      if (code === 'ENOENT' && path !== folder) continue;
      const where = path === folder ? folder : `${folder} cannot be used, because ${path}`;
      throw new AppError('unavailable', `${name} ${where} ${whyNot(path, code, cause)} ${remedy}`, { cause });
    }
  }
}

function whyNot(path: string, code: unknown, cause: unknown): string {
  if (code === 'EROFS') return 'is on a disk that is mounted read-only.';
  if (code !== 'EACCES' && code !== 'EPERM') return `cannot be read and written (${messageOf(cause)}).`;
  const [owner, own] = [lookUp(path)?.uid, process.getuid?.()];
  if (owner === undefined || own === undefined || owner === own)
    return 'may not be read and written by this account: its permissions forbid it.';
  return (
    `belongs to another account (user id ${owner}), and ${accountName()} (user id ${own}) may not read and write it. ` +
    `Start Tonearm as that account, or give the folder to this one: chown -R ${own} with its path.`
  );
}

const lookUp = (path: string) => {
  try {
    return statSync(path);
  } catch {
    return undefined; // the folder above may not be searched
  }
};

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'this account'; // a user id without a name, as in containers
  }
}

/** Flushes renames in it to disk. Windows cannot open folders and does not need it. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
