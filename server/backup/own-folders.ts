// Folders that are the library's own: a copy of the library does not belong into them.
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { conflict } from '../errors.ts';

/** Throws when the path is one of them, or lies inside one. */
export function assertOutside(path: string, ownFolders: readonly string[]): void {
  const own = ownFolders.find((folder) => isInside(resolve(path), resolve(folder)));
  if (own !== undefined) throw conflict(`${path} lies inside ${own}, which is the library’s own. Choose another folder, best on another disk.`);
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
