// Which folders a scan walks. A folder that cannot be scanned is refused with the reason; one that is gone when the
// scan begins is replaced by the nearest folder above it. No path leads out of its music folder.
import { lstat, realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { AppError } from '../errors.ts';
import { smallestSet } from '../files/folder-set.ts';
import { IGNORE_MARKS } from '../files/music-names.ts';
import { absoluteOf, join, namesIn, parentOf } from '../files/relative-path.ts';
import {
  FIRST_ALONE,
  keyOfPath,
  keysOf,
  NOWHERE,
  pathInRoot,
  rootPathOf,
  type MusicRoot,
  type MusicRoots,
} from '../storage/music-roots.ts';

/**
 * The smallest set of folders that includes all of these, spelled as on disk; none means all music folders. Paths are
 * given as in `source_id`. Throws `invalid` for what is no folder of them, `not_found` for what is not there.
 */
export async function findScanFolders(root: MusicRoots, asked: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of asked) found.push(await findFolder(root, path));
  return smallestSet(found);
}

async function findFolder(root: MusicRoots, asked: string): Promise<string> {
  if (asked === FIRST_ALONE) return asked;
  if (isAbsolute(asked) || asked.startsWith('/')) throw refused(asked, 'must be relative to the music folder');
  const key = keyOfPath(keysOf(root), asked);
  const inside = pathInRoot(key, asked);
  const parts = inside === '' ? [] : inside.replace(/\/$/, '').split('/');
  if (asked.includes('\0') || parts.some((part) => part === '' || part === '.' || part === '..'))
    throw refused(asked, 'must name a folder below the music folder, without "." and ".."');
  let path = rootPathOf(key);
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
async function findPart(root: MusicRoots, folder: string, part: string, asked: string): Promise<string> {
  const names = await listed(root, folder, asked);
  const name = names.has(part) ? part : [...names].find((other) => other.normalize('NFC') === part.normalize('NFC'));
  if (name === undefined) throw new AppError('not_found', `There is no folder ${asked} in the music folder.`);
  if (name.startsWith('.')) throw refused(asked, 'cannot be scanned: names that begin with a dot are skipped');
  return name;
}

async function listed(root: MusicRoots, folder: string, asked: string): Promise<Set<string>> {
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
export async function standingFolders(roots: MusicRoots, folders: readonly string[]): Promise<string[]> {
  const real = await realRoots(roots);
  const tops = new Set(keysOf(roots).map(rootPathOf));
  const standing = await Promise.all(
    folders.map(async (folder) => {
      let path = folder;
      while (!tops.has(path) && !(await isItself(real, path))) path = parentOf(path);
      return path;
    }),
  );
  return folders.length === 0 ? [''] : smallestSet(standing);
}

const realRoots = async (roots: MusicRoots): Promise<MusicRoots> =>
  typeof roots === 'string'
    ? realpath(roots)
    : Promise.all(roots.map(async ({ key, path }) => ({ key, path: await realpath(path).catch(() => NOWHERE) })));

async function isItself(root: MusicRoots, path: string): Promise<boolean> {
  const absolute = absoluteOf(root, path);
  try {
    if (!(await lstat(absolute)).isDirectory()) return false;
    const written = typeof absolute === 'string' ? Buffer.from(resolve(absolute)) : absolute;
    return written.equals(await realpath(absolute, { encoding: 'buffer' }));
  } catch {
    return false;
  }
}

/** The relative path of a folder on this machine. Throws `invalid` when it is in no music folder. */
export async function placeInMusic(roots: readonly MusicRoot[], folder: string): Promise<string> {
  const real = await realpath(folder).catch(() => {
    throw new AppError('invalid', `The folder ${folder} is not there.`);
  });
  for (const { key, path } of roots) {
    const way = relative(await realpath(path).catch(() => path), real);
    if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) continue;
    const inside = way.split(sep).join('/');
    if (inside !== '') return join(rootPathOf(key), inside);
    return roots.length === 1 ? '' : rootPathOf(key) || FIRST_ALONE;
  }
  throw new AppError(
    'invalid',
    `The folder ${folder} is not in the music folder ${roots.map(({ path }) => path).join(' or ')}. Choose another ` +
      'music folder with --import.',
  );
}
