// The layout of the local storage. Pure functions, because the scan's worker thread copies audio to the same paths
// itself.
import { join, posix } from 'node:path';
import { AppError } from '../errors.ts';

/** Folder below the root for files that are being written: on the same file system, so that they can be renamed. */
export const TEMP_DIR = 'tmp';
const TEMP_NAME_PATTERN = /^part-(\d+)-[0-9a-f]+$/;

/**
 * Matches names of letters, digits, `.`, `_`, `-`, not beginning with a dot, joined by `/`. This rules out `..`,
 * Windows drives and alternate data streams.
 */
const KEY_PATTERN = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

/** Returns whether the text is a valid key; false for paths in the temp folder. */
export const isKey = (key: string): boolean =>
  key.length <= 1024 && KEY_PATTERN.test(key) && key !== TEMP_DIR && !key.startsWith(`${TEMP_DIR}/`);

/** Throws `invalid` for a text that is not a key. */
export function assertKey(key: string): void {
  if (!isKey(key)) {
    throw new AppError('invalid', 'Not a storage key.', {
      fields: [{ field: 'key', message: 'is not a storage key' }],
    });
  }
}

export function keyToPath(root: string, key: string): string {
  assertKey(key);
  return join(root, ...key.split('/'));
}

/** Returns the content-addressed key: `audio/<first two hex>/<sha256>.<ext>`. */
export function audioKey(sha256: string, ext: string): string {
  const extension = ext.toLowerCase().replace(/^\./, '');
  return posix.join('audio', sha256.slice(0, 2), `${sha256}.${/^[a-z0-9]{1,8}$/.test(extension) ? extension : 'bin'}`);
}

/** Returns the SHA-256 in a key of `audioKey`. */
export const hashInKey = (key: string): string => posix.basename(key).split('.', 1)[0] ?? '';

export const coverKey = (albumId: number, ext: string): string => `covers/${albumId}.${ext}`;
/** Returns the id of the album in a cover's key; no other album uses that key. */
export const albumIdOfCover = (key: string): number => Number(/^covers\/(\d+)\./.exec(key)?.[1] ?? 0);
const ARTIST_PICTURE_PREFIX = 'covers/artists/';
/**
 * Returns the key of an artist's picture. It contains a hash of the content, so that a replaced picture gets another
 * key.
 */
export const artistPictureKey = (etag: string, ext: string): string => `${ARTIST_PICTURE_PREFIX}${etag}.${ext}`;
export const isArtistPicture = (key: string): boolean => key.startsWith(ARTIST_PICTURE_PREFIX);

/** Returns the name of a file that is being written; the process id shows that it was left by a killed process. */
export const tempName = (pid: number, random: string): string => `part-${pid}-${random}`;
export const tempPath = (root: string, pid: number, random: string): string =>
  join(root, TEMP_DIR, tempName(pid, random));

/** Returns the start of the random part in the names of a thread's files, by which its leftovers are recognized. */
export const threadPrefix = (threadId: number): string => threadId.toString(16).padStart(8, '0');

/** Returns the process id in a name of `tempName`; undefined for other names. */
export function tempOwnerPid(name: string): number | undefined {
  const pid = TEMP_NAME_PATTERN.exec(name)?.[1];
  return pid === undefined ? undefined : Number(pid);
}
