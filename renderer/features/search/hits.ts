// Search results as one list for the arrow keys, in the order of the groups: music first, then playlists, genres and
// folders, then tracks by their lyrics, then commands and settings, then online sources.
import type { FolderHits } from '../../../server/search/wire.ts';
import type {
  AlbumOut,
  ArtistOut,
  FolderOut,
  GenreOut,
  LibrarySearchResponse,
  PagedLyricsHits,
  PlaylistOut,
  SearchHit,
  TrackOut,
} from '../../api/routes.ts';
import {
  albumItems,
  artistItems,
  folderItems,
  genreItems,
  playlistItems,
  trackItems,
  type Items,
} from '../../music/items.ts';
import { oneTrack } from '../../music/track-drag.ts';
import { comparable } from '../../ui/comparable.ts';
import type { Command } from './commands.ts';

export type Hit =
  | { kind: 'artist'; id: string; artist: ArtistOut }
  | { kind: 'album'; id: string; album: AlbumOut }
  | { kind: 'track'; id: string; track: TrackOut }
  | { kind: 'playlist'; id: string; playlist: PlaylistOut }
  | { kind: 'genre'; id: string; genre: GenreOut }
  | { kind: 'folder'; id: string; folder: FolderOut }
  | { kind: 'lyrics'; id: string; track: TrackOut; text: string; startMs: number | null }
  | { kind: 'command'; id: string; command: Command }
  | { kind: 'setting'; id: string; command: Command }
  | { kind: 'remote'; id: string; remote: SearchHit }
  | { kind: 'recent'; id: string; text: string };

/** `total` is the number of all results, if they were counted. */
export interface HitGroup {
  kind: Hit['kind'];
  total: number | null;
  hits: Hit[];
}

interface Results {
  library: LibrarySearchResponse | undefined;
  playlists: readonly PlaylistOut[];
  genres: readonly GenreOut[];
  folders: FolderHits | undefined;
  lyrics: PagedLyricsHits | undefined;
  commands: readonly Command[];
  settings: readonly Command[];
  remote: readonly SearchHit[];
}

/** Groups the results of a search for `q`. Groups come first in which something has exactly that name. */
export function toGroups(
  q: string,
  { library, playlists, genres, folders, lyrics, commands, settings, remote }: Results,
  limits: { library: number; each: number; remote: number },
): HitGroup[] {
  const query = comparable(q);
  const group = <T extends object>(
    kind: Hit['kind'],
    items: readonly T[],
    toHit: (item: T, i: number) => Hit,
    { total = items.length, limit = limits.each }: { total?: number | null; limit?: number } = {},
  ) => {
    const shownItems = items.slice(0, limit);
    const isExact = shownItems.some(
      ({ name, title = name }: { name?: string; title?: string }) => comparable(title ?? '') === query,
    );
    return { kind, total, hits: shownItems.map(toHit), isExact };
  };
  const command = (kind: 'command' | 'setting') => (item: Command, i: number) => ({
    kind,
    id: `${kind}-${i}`,
    command: item,
  });
  const ownGroups = [group('command', commands, command('command')), group('setting', settings, command('setting'))];
  const otherGroups = [
    ...(library
      ? [
          group('artist', library.artists.items, (artist) => ({ kind: 'artist', id: `artist-${artist.id}`, artist }), {
            total: library.artists.total,
            limit: limits.library,
          }),
          group('album', library.albums.items, (album) => ({ kind: 'album', id: `album-${album.id}`, album }), {
            total: library.albums.total,
            limit: limits.library,
          }),
          group('track', library.tracks.items, (track) => ({ kind: 'track', id: `track-${track.id}`, track }), {
            total: library.tracks.total,
            limit: limits.library,
          }),
        ]
      : []),
    group('playlist', playlists, (playlist) => ({ kind: 'playlist', id: `playlist-${playlist.id}`, playlist })),
    group('genre', genres, (genre, i) => ({ kind: 'genre', id: `genre-${i}`, genre })),
    group('folder', folders?.items ?? [], (folder, i) => ({ kind: 'folder', id: `folder-${i}`, folder }), {
      total: folders?.total ?? 0,
    }),
    group(
      'lyrics',
      lyrics?.items ?? [],
      ({ track, text, start_ms }) => ({ kind: 'lyrics', id: `lyrics-${track.id}`, track, text, startMs: start_ms }),
      { total: lyrics?.total ?? 0 },
    ),
  ];
  return [
    ...[...ownGroups, ...otherGroups].filter(({ isExact }) => isExact),
    ...[...otherGroups, ...ownGroups].filter(({ isExact }) => !isExact),
    group('remote', remote, (hit, i) => ({ kind: 'remote', id: `remote-${i}`, remote: hit }), {
      total: null,
      limit: limits.remote,
    }),
  ].filter(({ hits }) => hits.length > 0);
}

/** Returns the page of a result. */
export function pathOf(hit: Extract<Hit, { kind: 'artist' | 'album' | 'playlist' | 'genre' | 'folder' }>): string {
  if (hit.kind === 'artist') return `/artists/${hit.artist.id}`;
  if (hit.kind === 'album') return `/albums/${hit.album.id}`;
  if (hit.kind === 'playlist') return `/playlists/${hit.playlist.id}`;
  if (hit.kind === 'folder') return `/folders?${new URLSearchParams({ path: hit.folder.path }).toString()}`;
  return `/albums?${new URLSearchParams({ genre: hit.genre.name }).toString()}`;
}

/** Returns the items for the menu of a result. */
export function itemsOf(hit: Hit): Items | null {
  if (hit.kind === 'artist') return artistItems(hit.artist);
  if (hit.kind === 'album') return albumItems(hit.album);
  if (hit.kind === 'track' || hit.kind === 'lyrics') return trackItems(oneTrack(hit.track));
  if (hit.kind === 'playlist') return playlistItems(hit.playlist);
  if (hit.kind === 'folder') return folderItems(hit.folder);
  return hit.kind === 'genre' ? genreItems(hit.genre) : null;
}

/** Returns how a track is played: from the matching line on, if the lyrics are synced. */
export const playOptionsOf = (hit: Extract<Hit, { kind: 'track' | 'lyrics' }>) => ({
  shuffle: false,
  ...(hit.kind === 'lyrics' && hit.startMs !== null && { positionMs: hit.startMs }),
});
