// The answer of a search as one list that arrow keys can walk, in the order the groups are shown.
import type { LibrarySearchResponse } from '../../../server/search/wire.ts';
import type { AlbumOut, ArtistOut, TrackOut } from '../../../server/library/wire.ts';

export type Hit =
  | { kind: 'artist'; id: string; artist: ArtistOut }
  | { kind: 'album'; id: string; album: AlbumOut }
  | { kind: 'track'; id: string; track: TrackOut };

export interface HitGroup { kind: Hit['kind']; total: number; hits: Hit[] }

export function toGroups({ artists, albums, tracks }: LibrarySearchResponse): HitGroup[] {
  const groups: HitGroup[] = [
    { kind: 'artist', total: artists.total, hits: artists.items.map((artist) => ({ kind: 'artist', id: `artist-${artist.id}`, artist })) },
    { kind: 'album', total: albums.total, hits: albums.items.map((album) => ({ kind: 'album', id: `album-${album.id}`, album })) },
    { kind: 'track', total: tracks.total, hits: tracks.items.map((track) => ({ kind: 'track', id: `track-${track.id}`, track })) },
  ];
  return groups.filter((group) => group.hits.length > 0);
}
