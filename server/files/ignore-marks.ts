// Looks for ignore marks on the disk. Everything in a folder with an ignore mark, or below it, is not part of the
// library.
import { access } from 'node:fs/promises';
import { keyOfPath, rootKeysOf, rootPathOf, type MusicRoots } from '../storage/music-roots.ts';
import { IGNORE_MARKS } from './file-kinds.ts';
import { absoluteOf, join, parentOf } from './relative-path.ts';

/** Returns whether a file is below an ignore mark. `path` is relative, as in `source_id`. */
export async function isBelowIgnoreMark(roots: MusicRoots, path: string): Promise<boolean> {
  const topFolder = rootPathOf(keyOfPath(rootKeysOf(roots), path));
  for (let folder = path; folder !== topFolder;) {
    folder = parentOf(folder);
    for (const mark of IGNORE_MARKS) if (await exists(absoluteOf(roots, join(folder, mark)))) return true;
  }
  return false;
}

const exists = (path: string | Buffer): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
