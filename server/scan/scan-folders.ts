// Decides which folders a scan walks. A folder that cannot be scanned is refused with the reason. A folder that is gone
// when the scan begins is replaced by the nearest existing folder above it. No path leads out of its music folder.
import { lstat, realpath, stat as fileStat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { AppError } from '../errors.ts';
import { withoutSubfolders } from '../files/folder-set.ts';
import { findPathIgnoreReason } from '../files/ignore-files.ts';
import { absoluteOf, join, namesIn, parentOf } from '../files/relative-path.ts';
import { isInside } from '../runtime/system-folders.ts';
import {
  FIRST_FOLDER_ONLY,
  keyOfPath,
  locateInRoots,
  rootKeysOf,
  NO_PATH,
  pathInRoot,
  rootPathOf,
  type MusicRoot,
  type MusicRoots,
} from '../storage/music-roots.ts';

/**
 * Returns the smallest set of folders that includes all of these, spelled as on disk; an empty list means all music
 * folders. Paths are given as in `source_id`. Throws `invalid` for a path that is not a folder of them, `not_found` for
 * a path that does not exist.
 */
export async function findScanFolders(
  root: MusicRoots,
  requestedPaths: readonly string[],
  ignoredNames: string,
): Promise<string[]> {
  const folders: string[] = [];
  for (const path of requestedPaths) {
    const folder = await findFolder(root, path);
    const reason =
      folder === FIRST_FOLDER_ONLY
        ? undefined
        : await findPathIgnoreReason(root, folder, { isFolder: true, ignoredNames });
    if (reason !== undefined) throw refusedFolder(path, `cannot be scanned: it is ${reason}`);
    folders.push(folder);
  }
  return withoutSubfolders(folders);
}

async function findFolder(root: MusicRoots, requestedPath: string): Promise<string> {
  if (requestedPath === FIRST_FOLDER_ONLY) return requestedPath;
  if (isAbsolute(requestedPath) || requestedPath.startsWith('/'))
    throw refusedFolder(requestedPath, 'must be relative to the music folder');
  const key = keyOfPath(rootKeysOf(root), requestedPath);
  const pathInside = pathInRoot(key, requestedPath);
  const segments = pathInside === '' ? [] : pathInside.replace(/\/$/, '').split('/');
  if (requestedPath.includes('\0') || segments.some((part) => part === '' || part === '.' || part === '..'))
    throw refusedFolder(requestedPath, 'must name a folder below the music folder, without "." and ".."');
  let path = rootPathOf(key);
  for (const segment of segments) {
    path = join(path, await findName(root, path, segment, requestedPath));
    const { followsLinks } = locateInRoots(root, path);
    const stat = await (followsLinks ? fileStat : lstat)(absoluteOf(root, path)).catch(() => undefined);
    if (stat?.isSymbolicLink())
      throw refusedFolder(
        requestedPath,
        `cannot be scanned, because ${path} is a link, and its music folder does not allow to follow links`,
      );
    if (!stat?.isDirectory()) throw refusedFolder(requestedPath, `cannot be scanned, because ${path} is not a folder`);
  }
  await listNames(root, path);
  return path;
}

/**
 * Returns the name on disk, which may have another Unicode spelling. Upper and lower case have to be equal, on any
 * disk.
 */
async function findName(root: MusicRoots, folder: string, segment: string, requestedPath: string): Promise<string> {
  const names = await listNames(root, folder);
  const name = names.has(segment)
    ? segment
    : [...names].find((candidate) => candidate.normalize('NFC') === segment.normalize('NFC'));
  if (name === undefined) throw new AppError('not_found', `There is no folder ${requestedPath} in the music folder.`);
  return name;
}

async function listNames(root: MusicRoots, folder: string): Promise<Set<string>> {
  const names = await namesIn(absoluteOf(root, folder));
  if (typeof names === 'string') throw new AppError('unavailable', `The folder ${folder} cannot be read.`);
  return names;
}

const refusedFolder = (requestedPath: string, reason: string): AppError =>
  new AppError('invalid', `The folder ${requestedPath} ${reason}.`, { fields: [{ field: 'path', message: reason }] });

/**
 * Replaces a folder that no longer exists, or is now a link that is not followed, by the nearest folder above it: only
 * an existing folder can prove what is gone.
 */
export async function findExistingFolders(roots: MusicRoots, folders: readonly string[]): Promise<string[]> {
  const rootsOnDisk = await resolveRoots(roots);
  const rootPaths = new Set(rootKeysOf(roots).map(rootPathOf));
  const existingFolders = await Promise.all(
    folders.map(async (folder) => {
      let path = folder;
      while (!rootPaths.has(path) && !(await isPlainFolder(rootsOnDisk, path))) path = parentOf(path);
      return path;
    }),
  );
  return folders.length === 0 ? [''] : withoutSubfolders(existingFolders);
}

const resolveRoots = async (roots: MusicRoots): Promise<MusicRoots> =>
  typeof roots === 'string'
    ? realpath(roots)
    : Promise.all(roots.map(async (root) => ({ ...root, path: await realpath(root.path).catch(() => NO_PATH) })));

async function isPlainFolder(root: MusicRoots, path: string): Promise<boolean> {
  const absolutePath = absoluteOf(root, path);
  try {
    // the walk decides which links it follows
    if (locateInRoots(root, path).followsLinks) return (await fileStat(absolutePath)).isDirectory();
    if (!(await lstat(absolutePath)).isDirectory()) return false;
    const writtenPath = typeof absolutePath === 'string' ? Buffer.from(resolve(absolutePath)) : absolutePath;
    return writtenPath.equals(await realpath(absolutePath, { encoding: 'buffer' }));
  } catch {
    return false;
  }
}

/** Returns the relative path of a folder on this machine. Throws `invalid` when the folder is in no music folder. */
export async function findPathInMusic(roots: readonly MusicRoot[], folder: string): Promise<string> {
  const realFolder = await realpath(folder).catch(() => {
    throw new AppError('invalid', `The folder ${folder} does not exist.`);
  });
  for (const { key, path, followsLinks = false } of roots) {
    // below a link that is followed, the path counts as it is written
    const isWrittenInside = followsLinks && isInside(resolve(folder), path);
    const relativePath = isWrittenInside
      ? relative(path, resolve(folder))
      : relative(await realpath(path).catch(() => path), realFolder);
    if (relativePath === '..' || relativePath.startsWith(`..${sep}`) || isAbsolute(relativePath)) continue;
    const pathInside = relativePath.split(sep).join('/');
    if (pathInside !== '') return join(rootPathOf(key), pathInside);
    return roots.length === 1 ? '' : rootPathOf(key) || FIRST_FOLDER_ONLY;
  }
  throw new AppError(
    'invalid',
    `The folder ${folder} is not in the music folder ${roots.map(({ path }) => path).join(' or ')}. Choose another ` +
      'music folder with --import.',
  );
}
