// Several music folders as one tree of relative paths, as in `source_id` and `file:` URIs. Paths in the first folder
// stay as they are; those in another begin with its key and a colon: `vinyl:/Artist/Album/01.flac`. Pure.

/** A key of lower-case letters, digits and hyphens; '' is the first folder. */
export interface MusicRoot {
  key: string;
  /** Absolute; NOWHERE where none is set. */
  path: string;
}
/** A single path is the first folder alone. */
export type MusicRoots = string | readonly MusicRoot[];

/** No file can have this path, so whatever is asked of it fails, and not with ENOENT. */
export const NOWHERE = '\0';

/** In lists of folders to scan: the first music folder without the others, where '' is all of them. */
export const FIRST_ALONE = ':';

/** Of a music folder in the tree. */
export const rootPathOf = (key: string): string => (key === '' ? '' : `${key}:`);

/** Of the music folder that holds the path. A folder `foo:` in the first one counts as its own until there is a key. */
export function keyOfPath(keys: Iterable<string>, path: string): string {
  const first = path.slice(0, path.indexOf('/') < 0 ? undefined : path.indexOf('/'));
  if (first.endsWith(':')) for (const key of keys) if (key !== '' && first === rootPathOf(key)) return key;
  return '';
}

export const keysOf = (roots: MusicRoots): string[] => (typeof roots === 'string' ? [''] : roots.map(({ key }) => key));

/** The path inside its music folder. */
export const pathInRoot = (key: string, path: string): string =>
  key === '' ? path : path.slice(rootPathOf(key).length + 1);

/** The music folder that holds the path, and the path in it. */
export function placeOf(roots: MusicRoots, path: string): { root: string; rest: string } {
  if (typeof roots === 'string') return { root: roots, rest: path };
  const key = keyOfPath(keysOf(roots), path);
  const root = roots.find((one) => one.key === key);
  return { root: root?.path ?? NOWHERE, rest: pathInRoot(key, path) };
}

/** Bounds of the source ids in a music folder other than the first: from the one, below the other. */
export const sourceIdBounds = (key: string): [from: string, below: string] => [
  `${rootPathOf(key)}/`,
  `${rootPathOf(key)}0`, // follows `/`
];
