// Treats several music folders as one tree of relative paths, as in `source_id` and `file:` URIs. Paths in the first
// folder stay as they are; those in another folder begin with its key and a colon: `vinyl:/Artist/Album/01.flac`. Pure
// functions.

/** Key of lower-case letters, digits and hyphens; '' is the first folder. */
export interface MusicRoot {
  key: string;
  /** Absolute path; NO_PATH when no folder is configured. */
  path: string;
  /** True if links to folders outside are followed, see files/folder-links.ts. */
  followsLinks?: boolean;
}
/** The music folders; a single path stands for the first folder alone. */
export type MusicRoots = string | readonly MusicRoot[];

/** A path that no file can have, so that every use of it fails, with another code than ENOENT. */
export const NO_PATH = '\0';

/** Stands for the first music folder without the others in lists of folders to scan; '' stands for all folders. */
export const FIRST_FOLDER_ONLY = ':';

/** Returns the path of a music folder in the tree. */
export const rootPathOf = (key: string): string => (key === '' ? '' : `${key}:`);

/**
 * Returns the key of the music folder that contains the path. A folder named `foo:` is in the first music folder unless
 * there is a key `foo`.
 */
export function keyOfPath(keys: Iterable<string>, path: string): string {
  const topFolder = path.slice(0, path.indexOf('/') < 0 ? undefined : path.indexOf('/'));
  if (topFolder.endsWith(':')) for (const key of keys) if (key !== '' && topFolder === rootPathOf(key)) return key;
  return '';
}

export const rootKeysOf = (roots: MusicRoots): string[] =>
  typeof roots === 'string' ? [''] : roots.map(({ key }) => key);

/** Returns the path inside its music folder. */
export const pathInRoot = (key: string, path: string): string =>
  key === '' ? path : path.slice(rootPathOf(key).length + 1);

/** Returns the music folder that contains the path, and the path in it. */
export function locateInRoots(
  roots: MusicRoots,
  path: string,
): { root: string; relativePath: string; followsLinks: boolean } {
  if (typeof roots === 'string') return { root: roots, relativePath: path, followsLinks: false };
  const key = keyOfPath(rootKeysOf(roots), path);
  const root = roots.find((candidate) => candidate.key === key);
  return {
    root: root?.path ?? NO_PATH,
    relativePath: pathInRoot(key, path),
    followsLinks: root?.followsLinks ?? false,
  };
}

/**
 * Returns the bounds of the source ids in a music folder other than the first: the lower bound is included, the upper
 * one is not.
 */
export const sourceIdBounds = (key: string): [from: string, below: string] => [
  `${rootPathOf(key)}/`,
  `${rootPathOf(key)}0`, // '0' follows '/' in the order of characters
];
