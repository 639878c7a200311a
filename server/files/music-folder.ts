// Whether the music folder is there and can be read. A disk that is not mounted must not look like a folder whose files
// were deleted.
import { readdir, realpath, stat } from 'node:fs/promises';
import type { MainDb } from '../db/client.ts';
import { AppError, messageOf } from '../errors.ts';
import { rootPathOf, type MusicRoot } from '../storage/music-roots.ts';

export interface MusicFolder {
  /** Without links. */
  path: string;
  /** Changes when a disk is mounted, unmounted or exchanged. */
  identity: string;
  isEmpty: boolean;
}

/** Throws `unavailable`, with a sentence for people, when it is not there or cannot be read. */
export async function readMusicFolder(folder: string): Promise<MusicFolder> {
  try {
    const path = await realpath(folder);
    const found = await stat(path, { bigint: true });
    if (!found.isDirectory()) throw unavailable(`The music folder ${folder} is not a folder.`);
    const isEmpty = (await readdir(path)).length === 0;
    return { path, identity: `${path} ${found.dev} ${found.ino}`, isEmpty };
  } catch (error) {
    if (error instanceof AppError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw unavailable(`The music folder ${folder} is not there. Is its disk connected?`, error);
    if (code === 'EACCES' || code === 'EPERM')
      throw unavailable(`The music folder ${folder} may not be read (permission denied).`, error);
    throw unavailable(`The music folder ${folder} cannot be read: ${messageOf(error)}`, error);
  }
}

/** Throws also when it is empty and held music before. `keys` are those of all music folders. */
export async function findMusicFolder(
  db: MainDb,
  { key, path }: MusicRoot,
  keys: readonly string[],
): Promise<MusicFolder> {
  const found = await readMusicFolder(path);
  if (found.isEmpty && heldMusic(db, key, keys))
    throw unavailable(`The music folder ${path} is empty, but held music before. Is its disk connected?`);
  return found;
}

/** Whether a file of the folder, or with the first of any that is in no other folder, is a track. */
export function heldMusic(db: MainDb, key: string, keys: readonly string[]): boolean {
  const roots = (key === '' ? keys.filter((other) => other !== '') : [key]).map(rootPathOf);
  return (
    db.$client
      .prepare<[string, number]>(
        // `0` follows `/`
        `SELECT 1 FROM source_folders d WHERE d.source = 'local_folder'
          AND EXISTS (SELECT 1 FROM json_each(?) r
            WHERE d.path = r.value OR (d.path >= r.value || '/' AND d.path < r.value || '0')) = ?
          AND EXISTS (SELECT 1 FROM source_files f WHERE f.folder_id = d.id AND f.state = 'track') LIMIT 1`,
      )
      .get(JSON.stringify(roots), key === '' ? 0 : 1) !== undefined
  );
}

const unavailable = (detail: string, cause?: unknown): AppError => new AppError('unavailable', detail, { cause });
