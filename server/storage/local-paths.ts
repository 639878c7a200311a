// Where things lie below the root of the local storage. Pure, because the scan's worker thread copies audio by itself
// and has to put it exactly where the storage would.
import { join, posix } from 'node:path';
import { AppError } from '../errors.ts';

/**
 * Folder below the root for files that are still being written. On the same file system, so that a rename moves them.
 */
export const TEMP_DIR = 'tmp';
const TEMP_NAME = /^part-(\d+)-[0-9a-f]+$/;

/**
 * Names made of letters, digits, `.`, `_`, `-`, joined by `/`; none begins with a dot. Leaves no room for `..`, drives
 * or streams.
 */
const KEY = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

/** False for the temp folder too. */
export const isKey = (key: string): boolean =>
  key.length <= 1024 && KEY.test(key) && key !== TEMP_DIR && !key.startsWith(`${TEMP_DIR}/`);

/** Throws `invalid` for anything that is not a key of an object. */
export function assertKey(key: string): void {
  if (!isKey(key)) {
    throw new AppError('invalid', 'That is not a storage key.', {
      fields: [{ field: 'key', message: 'is not a storage key' }],
    });
  }
}

export function keyToPath(root: string, key: string): string {
  assertKey(key);
  return join(root, ...key.split('/'));
}

/** Content-addressed key: `audio/<first two hex>/<sha256>.<ext>`. */
export function audioKey(sha256: string, ext: string): string {
  const plain = ext.toLowerCase().replace(/^\./, '');
  return posix.join('audio', sha256.slice(0, 2), `${sha256}.${/^[a-z0-9]{1,8}$/.test(plain) ? plain : 'bin'}`);
}

/** The sha256 in a key that `audioKey` made. */
export const hashInKey = (key: string): string => posix.basename(key).split('.', 1)[0] ?? '';

export const coverKey = (albumId: number, ext: string): string => `covers/${albumId}.${ext}`;

/**
 * Name of a file being written: says which process writes it, so that what a killed one left can be told from what is
 * in use.
 */
export const tempName = (pid: number, random: string): string => `part-${pid}-${random}`;
export const tempPath = (root: string, pid: number, random: string): string =>
  join(root, TEMP_DIR, tempName(pid, random));

/** Begins the random part for files of one thread, so that what a dead thread left can be told from the rest. */
export const threadPrefix = (threadId: number): string => threadId.toString(16).padStart(8, '0');

/** Process id in a temp file's name; undefined for names that are not ours. */
export function tempOwner(name: string): number | undefined {
  const pid = TEMP_NAME.exec(name)?.[1];
  return pid === undefined ? undefined : Number(pid);
}
