// What a compilation is. An album is one if its files say so, if its album artist is "Various Artists" in one of its
// spellings, or, for an album that goes by its folder, if no artist has most of its tracks.
import { identityKey } from '../tracks/sort-and-identity-keys.ts';

export const VARIOUS_ARTISTS = 'Various Artists';
const VARIOUS_KEYS = new Set(['various artists', 'various', 'va', 'v.a.', 'v/a']);

export const isVariousArtists = (name: string): boolean => VARIOUS_KEYS.has(identityKey(name));

/** Returns whether the tags of a file say that its album is a compilation. `albumArtist` is the one that is shown. */
export const isCompilation = (taggedAsCompilation: boolean | undefined, albumArtist: string): boolean =>
  taggedAsCompilation === true || isVariousArtists(albumArtist);

/** An artist of at least this share of the tracks is the album artist; otherwise the album is a compilation. */
const MIN_ARTIST_SHARE = 0.75;

/** `A feat. B`: guests on a track are not artists of the album. */
const GUEST_CREDIT = /\s[([]?(?:feat\.?|ft\.?|featuring)\s.*/isu;

/** Returns the album artist by the artists of the tracks; undefined for a compilation. */
export function findAlbumArtist(artistNames: readonly (string | null)[]): string | undefined {
  const names = artistNames.map((name) => name?.replace(GUEST_CREDIT, '').trim());
  const byArtist = Map.groupBy(names, (name) => name?.toLowerCase());
  const [commonNames = []] = [...byArtist.values()].toSorted((a, b) => b.length - a.length);
  return commonNames.length >= names.length * MIN_ARTIST_SHARE ? commonNames[0] : undefined;
}
