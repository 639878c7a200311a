// Where the file of a track lies on this computer, from what the server says of the track and of its folders.
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

export interface Folders {
  data: string;
  storageRoot: string | undefined;
  importPath: string | undefined;
}

/**
 * `file:<path in the music folder>` or `local:<key>` in the storage (decided by the server); undefined for what lies
 * elsewhere.
 */
export function pathOfAudio(uri: string | null, { data, storageRoot, importPath }: Folders): string | undefined {
  const [, scheme, rest] = /^(file|local):(.+)$/s.exec(uri ?? '') ?? [];
  const root = scheme === 'file' ? importPath : scheme === 'local' ? (storageRoot ?? join(data, 'library')) : undefined;
  if (root === undefined || rest === undefined || !isAbsolute(root) || rest.includes('\0')) return undefined;
  const path = resolve(root, ...rest.split('/'));
  const below = relative(root, path);
  return below === '' || below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below) ? undefined : path;
}
