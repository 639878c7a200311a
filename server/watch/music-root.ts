// The music folder as the watch sees it: whether it is there, whether another disk took its place, and whether the
// system reports all changes in it.
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { findRemoteMount } from './mounts.ts';

export interface MusicRoot {
  /** Without links. */
  path: string;
  /** Changes when a disk is mounted, unmounted or exchanged. */
  identity: string;
  isEmpty: boolean;
}

/** What can be watched, or why nothing can. */
export async function findMusicRoot(db: Db, folder: string): Promise<MusicRoot | { problem: string }> {
  try {
    const path = await realpath(folder);
    const { dev, ino } = await stat(path, { bigint: true });
    const isEmpty = (await readdir(path)).length === 0;
    if (isEmpty && holdsTracks(db))
      return { problem: 'The music folder is empty, but held music before. Is its disk connected?' };
    return { path, identity: `${path} ${dev} ${ino}`, isEmpty };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return {
      problem:
        code === 'ENOENT'
          ? 'The music folder is not there. Is its disk connected?'
          : `The music folder cannot be read (${code}).`,
    };
  }
}

function holdsTracks(db: Db): boolean {
  const row = db.get<
    { one: number } | undefined
  >(sql`SELECT 1 AS one FROM source_files f JOIN source_folders d ON d.id = f.folder_id
    WHERE d.source = 'local_folder' AND f.state = 'track' LIMIT 1`);
  return row !== undefined;
}

/** Name of the remote file system that the folder is on; undefined when, as far as can be told, all of it is local. */
export async function findRemoteFileSystem(path: string): Promise<string | undefined> {
  if (path.startsWith('\\\\')) return 'a Windows share'; // mapped drives too: their real path begins like this
  if (process.platform !== 'linux') return undefined;
  const mounts = await readFile('/proc/self/mountinfo', 'utf8').catch(() => ''); // hidden in some sandboxes
  return findRemoteMount(mounts, path);
}
