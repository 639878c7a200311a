// The path of a track's file on this computer, from the track and the server's folders.
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { placeOf, type MusicRoot } from '../server/storage/music-roots.ts';
import { FILE_SCHEME, LOCAL_SCHEME, splitUri } from '../server/storage/uri.ts';

interface Folders {
  data: string;
  storageRoot: string | undefined;
  music: readonly MusicRoot[];
}

/** Returns the path of a `storage_uri`; undefined if it is no local file. */
export function pathOfAudio(uri: string | null, { data, storageRoot, music }: Folders): string | undefined {
  const { scheme, rest: inUri } = splitUri(uri ?? '');
  const libraryRoot = scheme === LOCAL_SCHEME ? (storageRoot ?? join(data, 'library')) : undefined;
  const { root, rest } = scheme === FILE_SCHEME ? placeOf(music, inUri) : { root: libraryRoot, rest: inUri };
  if (root === undefined || !isAbsolute(root) || rest.includes('\0')) return undefined;
  const path = resolve(root, ...rest.split('/'));
  const below = relative(root, path);
  return below === '' || below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below) ? undefined : path;
}
