// The folder into which playlists are written. Each file is replaced as a whole, and only if Tonearm wrote it: files of
// others, and files that somebody changed, are left as they are.
import { hash, randomUUID } from 'node:crypto';
import { access, constants, lstat, mkdir, realpath, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { readPlainFile } from '../runtime/plain-files.ts';
import { isInside, isSystemOnly } from '../runtime/system-folders.ts';

export interface ForbiddenFolders {
  ownFolders: readonly string[];
  musicPaths: readonly string[];
}

/** What is at the place of a file: nothing, the contents that were written last, or something of somebody else. */
export type FileState = 'absent' | 'as written' | 'foreign';

const MAX_BYTES = 100 << 20;

/** Returns why playlists cannot be written into a folder, as the end of a sentence; undefined if they can. */
export async function exportFolderFault(path: string, forbidden: ForbiddenFolders): Promise<string | undefined> {
  if (!isAbsolute(path)) return 'must be an absolute path';
  const realFolder = await realpath(path).catch(() => undefined);
  if (realFolder === undefined || !(await stat(realFolder)).isDirectory()) return 'does not exist or is not a folder';
  const place = await forbiddenPlaceOf(realFolder, forbidden);
  if (place !== undefined) return place;
  if (isSystemOnly(realFolder)) return 'belongs to the operating system';
  const isWritable = await access(realFolder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  return isWritable ? undefined : 'cannot be written to; allow the account that runs Tonearm to write in this folder';
}

/**
 * Returns why the folder of an account cannot be used, as the end of a sentence. An account may have the name of a
 * music folder beside which playlists are written.
 */
export async function accountFolderFault(path: string, forbidden: ForbiddenFolders): Promise<string | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isSymbolicLink() === true) return 'is a link, which is not followed';
  return forbiddenPlaceOf(await realpath(path).catch(() => path), forbidden);
}

async function forbiddenPlaceOf(
  realFolder: string,
  { ownFolders, musicPaths }: ForbiddenFolders,
): Promise<string | undefined> {
  const isIn = async (folder: string): Promise<boolean> =>
    isInside(realFolder, await realpath(folder).catch(() => folder));
  for (const folder of ownFolders)
    if (await isIn(folder)) return 'is inside Tonearm’s own data folder or stored library';
  for (const folder of musicPaths)
    if (await isIn(folder)) return 'is inside a music folder, where Tonearm writes nothing; choose a folder beside it';
  return undefined;
}

export const hashOf = (text: string): string => hash('sha256', text, 'base64url');

export async function stateOf(path: string, writtenHash: string | undefined): Promise<FileState> {
  try {
    const bytes = await readPlainFile(path, MAX_BYTES);
    return hash('sha256', bytes, 'base64url') === writtenHash ? 'as written' : 'foreign';
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'absent';
    return 'foreign';
  }
}

/** Writes a file under another name first, so that other programs never read a part of it. */
export async function replaceFile(target: string, text: string): Promise<void> {
  const targetFolder = dirname(target);
  await mkdir(targetFolder, { recursive: true });
  const unfinishedPath = join(targetFolder, `.${randomUUID()}.tmp`);
  try {
    await writeFile(unfinishedPath, text, { flag: 'wx' });
    await rename(unfinishedPath, target);
  } catch (error) {
    await rm(unfinishedPath, { force: true });
    throw error;
  }
}

/** Removes a file, and its folder if that is empty then. */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
  await rmdir(dirname(path)).catch(() => undefined);
}
