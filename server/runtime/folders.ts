// Checks and creates the folders that the server needs, with errors that say what to do.
import { accessSync, closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { AppError, isDiskFull, messageOf } from '../errors.ts';

/** Texts for errors: `name` begins the sentence (“The data folder”); `remedy` is a sentence that says what to do. */
export interface FolderDescription {
  name: string;
  remedy: string;
}

/** Throws `unavailable` when the path, or a path above it, is a file. The folder need not exist. */
export function assertNoFile(path: string, { name, remedy }: FolderDescription): void {
  const fullPath = resolve(path);
  for (let ancestor = fullPath; ; ancestor = dirname(ancestor)) {
    const isFolder = checkFolder(ancestor);
    if (isFolder === false)
      throw new AppError(
        'unavailable',
        `${name} ${fullPath} cannot be used: ${ancestor} is a file, not a folder. ${remedy}`,
      );
    if (isFolder || ancestor === dirname(ancestor)) return;
  }
}

/**
 * Returns whether the path is a folder; undefined when it does not exist or may not be read, which the first use of the
 * folder reports.
 */
function checkFolder(path: string): boolean | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory();
  } catch {
    return undefined;
  }
}

/** Creates the folder. Throws `unavailable` when that is not possible. */
export function makeFolder(path: string, description: FolderDescription): void {
  assertNoFile(path, description);
  try {
    createWithParents(resolve(path));
  } catch (cause) {
    if (isDiskFull(cause)) throw cause;
    throw new AppError(
      'unavailable',
      `${description.name} ${path} cannot be created (${messageOf(cause)}). ${description.remedy}`,
      {
        cause,
      },
    );
  }
}

/**
 * Creates a folder and missing parents. Node's `recursive` option hangs if the system reports ENOENT for a folder in an
 * existing one, as in /proc.
 */
function createWithParents(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) createWithParents(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if (!existsSync(path)) throw error; // if the folder exists, another process created it first
  }
}

/**
 * Throws `unavailable` when this account cannot read and write the folder or one of these files in it. The message
 * says why, and which account owns the folder.
 */
export function assertUsable(folder: string, files: readonly string[], { name, remedy }: FolderDescription): void {
  for (const path of [folder, ...files.map((file) => join(folder, file))]) {
    try {
      accessSync(path, constants.R_OK | constants.W_OK | (path === folder ? constants.X_OK : 0));
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
      if (code === 'ENOENT' && path !== folder) continue;
      const subject = path === folder ? folder : `${folder} cannot be used, because ${path}`;
      throw new AppError('unavailable', `${name} ${subject} ${describeFault(path, code, cause)} ${remedy}`, { cause });
    }
  }
}

function describeFault(path: string, code: unknown, cause: unknown): string {
  if (code === 'EROFS') return 'is on a disk that is mounted read-only.';
  if (code !== 'EACCES' && code !== 'EPERM') return `cannot be read and written (${messageOf(cause)}).`;
  const [ownerId, ownId] = [findStats(path)?.uid, process.getuid?.()];
  if (ownerId === undefined || ownId === undefined || ownerId === ownId)
    return 'may not be read and written by this account: its permissions forbid it.';
  return (
    `belongs to another account (user id ${ownerId}), and ${accountName()} (user id ${ownId}) may not read ` +
    `and write it. Start Tonearm as that account, or give the folder to this one: chown -R ${ownId} with its path.`
  );
}

const findStats = (path: string) => {
  try {
    return statSync(path);
  } catch {
    return undefined; // thrown if the parent folder may not be searched
  }
};

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'this account'; // thrown for a user id without a name, as in containers
  }
}

/** Flushes renames in the folder to disk. Windows cannot open folders and does not need that. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
