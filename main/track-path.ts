// The path of a track's file on this computer, derived from the track and the server's folders.
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { locateInRoots, type MusicRoot } from '../server/storage/music-roots.ts';
import { FILE_SCHEME, LOCAL_SCHEME, splitUri } from '../server/storage/uri.ts';

interface Folders {
  data: string;
  storageRoot: string | undefined;
  music: readonly MusicRoot[];
}

/** Returns the path of a `storage_uri`; undefined if the URI is not a local file. */
export function pathOfAudio(uri: string | null, { data, storageRoot, music }: Folders): string | undefined {
  const { scheme, path: inUri } = splitUri(uri ?? '');
  const libraryRoot = scheme === LOCAL_SCHEME ? (storageRoot ?? join(data, 'library')) : undefined;
  const { root, relativePath } =
    scheme === FILE_SCHEME ? locateInRoots(music, inUri) : { root: libraryRoot, relativePath: inUri };
  if (root === undefined || !isAbsolute(root) || relativePath.includes('\0')) return undefined;
  const path = resolve(root, ...relativePath.split('/'));
  const pathInRoot = relative(root, path);
  return pathInRoot === '' || pathInRoot === '..' || pathInRoot.startsWith(`..${sep}`) || isAbsolute(pathInRoot)
    ? undefined
    : path;
}
