// Finds the MusicBrainz artist of an artist without an mbid. A name says little, because many artists share one; an
// album identifies its artist if its title is not a common one. Pure except for its requests.
import { identityKey, sortKey } from '../library/tracks/sort-and-identity-keys.ts';
import type { KnownAlbum, Subjects } from './musicbrainz.ts';

/** Titles that albums of many artists have. */
const COMMON_TITLES = new Set(
  (
    'greatest hits,best of,the best of,the very best of,live,demo,demos,untitled,singles,remixes,unplugged,acoustic,' +
    'collection,the collection,anthology,gold,hits,ep,album,the album,b-sides,christmas,home,love,hope,debut,mixtape,' +
    'instrumentals,covers,rarities,essential,the essential,compilation,unknown album,unreleased'
  ).split(','),
);

const saysWho = (artist: string, { title }: KnownAlbum): boolean =>
  !COMMON_TITLES.has(sortKey(title)) && identityKey(title) !== identityKey(artist);

/**
 * Returns the mbid, or null when it cannot be determined: no album is known, or two albums name different artists. Asks
 * about one album after the other until one artist is left. Throws like `artistsOfAlbum`.
 */
export async function identify(
  name: string,
  albums: readonly KnownAlbum[],
  artistsOfAlbum: Subjects['artistsOfAlbum'],
  signal: AbortSignal,
): Promise<string | null> {
  let possibleIds: string[] | undefined;
  for (const album of albums.filter((candidate) => saysWho(name, candidate))) {
    const artistIds = await artistsOfAlbum(name, album, signal);
    if (artistIds.length === 0) continue; // MusicBrainz does not have every album
    possibleIds = possibleIds?.filter((id) => artistIds.includes(id)) ?? artistIds;
    if (possibleIds.length <= 1) return possibleIds[0] ?? null;
  }
  return null;
}
