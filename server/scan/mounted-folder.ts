// Whether the music folder is there: a disk that is not mounted must not look like a folder whose files were deleted.
import { readdir, stat } from 'node:fs/promises';
import type { MainDb } from '../db/client.ts';
import { AppError, messageOf } from '../errors.ts';

/** Throws `unavailable` when it is not there, or is empty and held files before. */
export async function assertMounted(db: MainDb, source: string, path: string): Promise<void> {
  const problem = await folderProblem(path);
  if (problem) throw new AppError('unavailable', problem);
  const entries = await readdir(path);
  if (entries.length > 0) return;
  const known = db.$client
    .prepare<[string], { n: number }>(
      `SELECT count(*) AS n FROM source_files f JOIN source_folders d ON d.id = f.folder_id
        WHERE d.source = ? AND f.state = 'track'`,
    )
    .get(source);
  if (known && known.n > 0)
    throw new AppError(
      'unavailable',
      `The music folder ${path} is empty, but held ${known.n} files before. Is its disk connected? ` +
        'Nothing was changed.',
    );
}

/** Why a folder cannot be scanned, in a sentence; undefined when it can. */
export async function folderProblem(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isDirectory()) return `The music folder ${path} is not a folder.`;
    await readdir(path);
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return `The music folder ${path} is not there. Is its disk connected?`;
    if (code === 'EACCES' || code === 'EPERM') return `The music folder ${path} may not be read (permission denied).`;
    return `The music folder ${path} cannot be read: ${messageOf(error)}`;
  }
}
