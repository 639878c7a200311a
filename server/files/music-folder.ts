// Checks that the music folder exists and can be read. A disk that is not mounted must not look like a folder whose
// files were deleted.
import { readdir, realpath, stat } from 'node:fs/promises';
import type { MainDb } from '../db/client.ts';
import { AppError, messageOf } from '../errors.ts';
import { rootPathOf, type MusicRoot } from '../storage/music-roots.ts';

export interface MusicFolder {
  /** Absolute path, with symbolic links resolved. */
  path: string;
  /** Device and inode of the folder, which change when a disk is mounted, unmounted or replaced. */
  identity: string;
  isEmpty: boolean;
}

/**
 * Checks a folder and returns its path and identity. Throws `unavailable`, with a sentence for people, when the folder
 * does not exist or cannot be read.
 */
export async function readMusicFolder(folder: string): Promise<MusicFolder> {
  try {
    const path = await realpath(folder);
    const folderStat = await stat(path, { bigint: true });
    if (!folderStat.isDirectory()) throw unavailable(`The music folder ${folder} is not a folder.`);
    const isEmpty = (await readdir(path)).length === 0;
    return { path, identity: `${path} ${folderStat.dev} ${folderStat.ino}`, isEmpty };
  } catch (error) {
    if (error instanceof AppError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw unavailable(`The music folder ${folder} does not exist. Is its disk connected?`, error);
    if (code === 'EACCES' || code === 'EPERM')
      throw unavailable(`The music folder ${folder} cannot be read: permission denied.`, error);
    throw unavailable(`The music folder ${folder} cannot be read: ${messageOf(error)}`, error);
  }
}

/**
 * Does the same as readMusicFolder, but also throws for an empty folder that contained music before. `keys` are the
 * keys of all folders.
 */
export async function findMusicFolder(
  db: MainDb,
  { key, path }: MusicRoot,
  keys: readonly string[],
): Promise<MusicFolder> {
  const musicFolder = await readMusicFolder(path);
  if (musicFolder.isEmpty && hasHeldMusic(db, key, keys))
    throw unavailable(`The music folder ${path} is empty, but held music before. Is its disk connected?`);
  return musicFolder;
}

/**
 * Returns whether the library has a track from the folder. For the first folder, tracks that are in none of the other
 * folders count, too.
 */
export function hasHeldMusic(db: MainDb, key: string, allFolderKeys: readonly string[]): boolean {
  const roots = (key === '' ? allFolderKeys.filter((otherKey) => otherKey !== '') : [key]).map(rootPathOf);
  return (
    db.$client
      .prepare<[string, number]>(
        // '0' is the character after '/', so the range contains everything below the folder
        `SELECT 1 FROM source_folders d WHERE d.source = 'local_folder'
          AND EXISTS (SELECT 1 FROM json_each(?) r
            WHERE d.path = r.value OR (d.path >= r.value || '/' AND d.path < r.value || '0')) = ?
          AND EXISTS (SELECT 1 FROM source_files f WHERE f.folder_id = d.id AND f.state = 'track') LIMIT 1`,
      )
      .get(JSON.stringify(roots), key === '' ? 0 : 1) !== undefined
  );
}

const unavailable = (detail: string, cause?: unknown): AppError => new AppError('unavailable', detail, { cause });
