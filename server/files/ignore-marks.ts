// Ignore marks on the disk: what is in a folder with one, or below it, is not part of the library.
import { access } from 'node:fs/promises';
import { keyOfPath, rootKeysOf, rootPathOf, type MusicRoots } from '../storage/music-roots.ts';
import { IGNORE_MARKS } from './music-names.ts';
import { absoluteOf, join, parentOf } from './relative-path.ts';

/** `path` is that of a file, relative as in `source_id`. */
export async function isBelowIgnoreMark(roots: MusicRoots, path: string): Promise<boolean> {
  const top = rootPathOf(keyOfPath(rootKeysOf(roots), path));
  for (let folder = path; folder !== top;) {
    folder = parentOf(folder);
    for (const mark of IGNORE_MARKS) if (await isThere(absoluteOf(roots, join(folder, mark)))) return true;
  }
  return false;
}

const isThere = (path: string | Buffer): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
