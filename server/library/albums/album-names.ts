// The keys in the table album_keys. The name of an album is `t:<artist id>:<folded title>`, with a line break at its
// end.
//   d:<name><source>/<folder>   the album of that name in the folder, and in the folders of the discs in it
//   l:<name><album id>          an album of that name that has tracks without a folder
//   g:<folder id>:<folded title>   an album in that folder, of whatever artist
//   u:<folder id>:<folded title>, line break, <artist id>   the same, if files there name no album artist
//   t:<artist id>:, line break  the artist's tracks without an album
import type { ArtistId } from '../../db/ids.ts';
import { albumFolderOf } from '../../media/disc-folders.ts';
import { formerPlace } from '../tracks/overwritten-place.ts';
import { identityKey } from '../tracks/sort-and-identity-keys.ts';

/** Ends a title, so that `Star Wars` is no prefix of `Star Wars: Dark Forces`. No folded title contains it. */
export const TITLE_END = '\n';
/** Sorts after every text that begins with the same prefix. */
export const LAST_CHARACTER = '\u{10ffff}';

export const albumName = (artist: ArtistId | null | undefined, title: string): string =>
  `t:${artist ?? 0}:${identityKey(title)}${TITLE_END}`;

const ALBUM_NAME = /^t:(\d+):([^]*)\n$/;
/**
 * Returns the artist and the folded title of an album name; undefined for a text that is no album name. `artistId` is 0
 * for an album without an artist.
 */
export function partsOfName(name: string): { artistId: number; titleKey: string } | undefined {
  const [, artistId, titleKey] = ALBUM_NAME.exec(name) ?? [];
  return artistId === undefined || titleKey === undefined ? undefined : { artistId: Number(artistId), titleKey };
}

export const folderKey = (name: string, folder: string): string => `d:${name}${folder}`;

/** Returns the folder of an album as it stands in `d:` keys. */
export const folderOfAlbum = (source: string, path: string): string =>
  `${source}/${albumFolderOf(path) ?? path}`.normalize('NFC');

/** Returns the folder in `d:` keys for a track of a music folder. */
export function folderOfTrack(source: string, sourceId: string): string {
  // a track from a CUE sheet has the path of its file before `//`
  const [file = ''] = (formerPlace(sourceId) ?? sourceId).split('//', 1);
  return folderOfAlbum(source, file.slice(0, Math.max(0, file.lastIndexOf('/'))));
}
