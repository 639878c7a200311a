// Search results as one list for the arrow keys, in the order of the groups: the library first, then online sources.
import type { SearchHit } from '../../../server/search/remote-wire.ts';
import type { LibrarySearchResponse } from '../../../server/search/wire.ts';
import type { AlbumOut, ArtistOut, TrackOut } from '../../../server/library/wire.ts';

export type Hit =
  | { kind: 'artist'; id: string; artist: ArtistOut }
  | { kind: 'album'; id: string; album: AlbumOut }
  | { kind: 'track'; id: string; track: TrackOut }
  | { kind: 'remote'; id: string; remote: SearchHit };

/** `total`: how many there are, where that is counted. */
export interface HitGroup {
  kind: Hit['kind'];
  total: number | null;
  hits: Hit[];
}

/** More are in Discover. */
const REMOTE_SHOWN = 6;

export function toGroups(library: LibrarySearchResponse | undefined, remote: readonly SearchHit[]): HitGroup[] {
  const groups: HitGroup[] = [
    ...(library
      ? [
          {
            kind: 'artist' as const,
            total: library.artists.total,
            hits: library.artists.items.map((artist) => ({
              kind: 'artist' as const,
              id: `artist-${artist.id}`,
              artist,
            })),
          },
          {
            kind: 'album' as const,
            total: library.albums.total,
            hits: library.albums.items.map((album) => ({ kind: 'album' as const, id: `album-${album.id}`, album })),
          },
          {
            kind: 'track' as const,
            total: library.tracks.total,
            hits: library.tracks.items.map((track) => ({ kind: 'track' as const, id: `track-${track.id}`, track })),
          },
        ]
      : []),
    {
      kind: 'remote',
      total: null,
      hits: remote.slice(0, REMOTE_SHOWN).map((hit, i) => ({ kind: 'remote', id: `remote-${i}`, remote: hit })),
    },
  ];
  return groups.filter((group) => group.hits.length > 0);
}
