// Several music folders as one tree of relative paths, as in `source_id` and `file:` URIs. Paths in the first folder
// stay as they are; those in another begin with its key and a colon: `vinyl:/Artist/Album/01.flac`. Pure.

/** A key of lower-case letters, digits and hyphens; '' is the first folder. */
export interface MusicRoot {
  key: string;
  /** Absolute; NO_PATH when no folder is set. */
  path: string;
}
/** A single path stands for the first folder alone. */
export type MusicRoots = string | readonly MusicRoot[];

/** No file can have this path, so every use of it fails, with another code than ENOENT. */
export const NO_PATH = '\0';

/** Stands for the first music folder without the others in lists of folders to scan; '' stands for all folders. */
export const FIRST_FOLDER_ONLY = ':';

/** Path of a music folder in the tree. */
export const rootPathOf = (key: string): string => (key === '' ? '' : `${key}:`);

/** Key of the music folder that holds the path. A folder `foo:` is in the first one unless there is a key `foo`. */
export function keyOfPath(keys: Iterable<string>, path: string): string {
  const topFolder = path.slice(0, path.indexOf('/') < 0 ? undefined : path.indexOf('/'));
  if (topFolder.endsWith(':')) for (const key of keys) if (key !== '' && topFolder === rootPathOf(key)) return key;
  return '';
}

export const rootKeysOf = (roots: MusicRoots): string[] =>
  typeof roots === 'string' ? [''] : roots.map(({ key }) => key);

/** The path inside its music folder. */
export const pathInRoot = (key: string, path: string): string =>
  key === '' ? path : path.slice(rootPathOf(key).length + 1);

/** The music folder that holds the path, and the path in it. */
export function locateInRoots(roots: MusicRoots, path: string): { root: string; relativePath: string } {
  if (typeof roots === 'string') return { root: roots, relativePath: path };
  const key = keyOfPath(rootKeysOf(roots), path);
  const root = roots.find((candidate) => candidate.key === key);
  return { root: root?.path ?? NO_PATH, relativePath: pathInRoot(key, path) };
}

/** Bounds of the source ids in a music folder other than the first: the lower one included, the upper one not. */
export const sourceIdBounds = (key: string): [from: string, below: string] => [
  `${rootPathOf(key)}/`,
  `${rootPathOf(key)}0`, // '0' follows '/' in the order of characters
];
