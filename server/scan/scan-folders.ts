// Which folders a scan walks. A folder that cannot be scanned is refused with the reason; one that is gone when the
// scan begins is replaced by the nearest folder above it. No path leads out of the music folder.
import { lstat, realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { AppError } from '../errors.ts';
import { smallestSet } from '../files/folder-set.ts';
import { IGNORE_MARKS } from '../files/music-names.ts';
import { absoluteOf, join, namesIn, parentOf } from '../files/relative-path.ts';

/**
 * The smallest set of folders that includes all of these, spelled as on disk; none means the whole music folder. Paths
 * are given as in `source_id`. Throws `invalid` for what is no folder of it, `not_found` for what is not there.
 */
export async function findScanFolders(root: string, asked: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of asked) found.push(await findFolder(root, path));
  return smallestSet(found);
}

async function findFolder(root: string, asked: string): Promise<string> {
  if (isAbsolute(asked) || asked.startsWith('/')) throw refused(asked, 'must be relative to the music folder');
  const parts = asked === '' ? [] : asked.replace(/\/$/, '').split('/');
  if (asked.includes('\0') || parts.some((part) => part === '' || part === '.' || part === '..'))
    throw refused(asked, 'must name a folder below the music folder, without "." and ".."');
  let path = '';
  for (const part of parts) {
    path = join(path, await findPart(root, path, part, asked));
    const stat = await lstat(absoluteOf(root, path)).catch(() => undefined);
    if (stat?.isSymbolicLink())
      throw refused(asked, `cannot be scanned, because ${path} is a link, and links to folders are not followed`);
    if (!stat?.isDirectory()) throw refused(asked, `cannot be scanned, because ${path} is not a folder`);
  }
  await listed(root, path, asked);
  return path;
}

/** The name on disk, which may have another Unicode spelling; upper and lower case are told apart on any disk. */
async function findPart(root: string, folder: string, part: string, asked: string): Promise<string> {
  const names = await listed(root, folder, asked);
  const name = names.has(part) ? part : [...names].find((other) => other.normalize('NFC') === part.normalize('NFC'));
  if (name === undefined) throw new AppError('not_found', `There is no folder ${asked} in the music folder.`);
  if (name.startsWith('.')) throw refused(asked, 'cannot be scanned: names that begin with a dot are skipped');
  return name;
}

async function listed(root: string, folder: string, asked: string): Promise<Set<string>> {
  const names = await namesIn(absoluteOf(root, folder));
  if (typeof names === 'string') throw new AppError('unavailable', `The folder ${folder} cannot be read.`);
  const mark = IGNORE_MARKS.find((name) => names.has(name));
  if (mark !== undefined)
    throw refused(
      asked,
      `cannot be scanned: ${folder === '' ? 'the music folder' : folder} is ignored, because it contains ${mark}`,
    );
  return names;
}

const refused = (asked: string, why: string): AppError =>
  new AppError('invalid', `The folder ${asked} ${why}.`, { fields: [{ field: 'path', message: why }] });

/**
 * For a folder that is not there any more, or is a link now, the nearest one above: only a folder that is there can
 * prove what is gone.
 */
export async function standingFolders(root: string, folders: readonly string[]): Promise<string[]> {
  const real = await realpath(root);
  const standing = await Promise.all(
    folders.map(async (folder) => {
      let path = folder;
      while (path !== '' && !(await isItself(real, path))) path = parentOf(path);
      return path;
    }),
  );
  return folders.length === 0 ? [''] : smallestSet(standing);
}

async function isItself(root: string, path: string): Promise<boolean> {
  const absolute = absoluteOf(root, path);
  try {
    if (!(await lstat(absolute)).isDirectory()) return false;
    const written = typeof absolute === 'string' ? Buffer.from(resolve(absolute)) : absolute;
    return written.equals(await realpath(absolute, { encoding: 'buffer' }));
  } catch {
    return false;
  }
}

/** The relative path of a folder on this machine. Throws `invalid` when it is not in the music folder. */
export async function placeInMusic(root: string, folder: string): Promise<string> {
  const real = await realpath(folder).catch(() => {
    throw new AppError('invalid', `The folder ${folder} is not there.`);
  });
  const way = relative(await realpath(root), real);
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
    throw new AppError(
      'invalid',
      `The folder ${folder} is not in the music folder ${root}. Choose another music folder with --import.`,
    );
  return way.split(sep).join('/');
}
