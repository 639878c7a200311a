// Search results as one list for the arrow keys, in the order of the groups: music first, then playlists, genres and
// folders, then commands and settings, then online sources.
import type { FolderHits } from '../../../server/search/wire.ts';
import type {
  AlbumOut,
  ArtistOut,
  FolderOut,
  GenreOut,
  LibrarySearchResponse,
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
  commands: readonly Command[];
  settings: readonly Command[];
  remote: readonly SearchHit[];
}

/** Groups the results of a search for `q`; a page or command with exactly that name comes first. */
export function toGroups(
  q: string,
  { library, playlists, genres, folders, commands, settings, remote }: Results,
  limits: { library: number; each: number; remote: number },
): HitGroup[] {
  const group = <T>(
    kind: Hit['kind'],
    items: readonly T[],
    toHit: (item: T, i: number) => Hit,
    { total = items.length, limit = limits.each }: { total?: number | null; limit?: number } = {},
  ): HitGroup => ({ kind, total, hits: items.slice(0, limit).map(toHit) });
  const command = (kind: 'command' | 'setting') => (item: Command, i: number) => ({
    kind,
    id: `${kind}-${i}`,
    command: item,
  });
  const query = comparable(q);
  const ownGroups = [group('command', commands, command('command')), group('setting', settings, command('setting'))];
  const hasExactName = ({ hits }: HitGroup) =>
    hits.some((hit) => 'command' in hit && comparable(hit.command.name) === query);
  return [
    ...ownGroups.filter(hasExactName),
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
    ...ownGroups.filter((ownGroup) => !hasExactName(ownGroup)),
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
  if (hit.kind === 'track') return trackItems(oneTrack(hit.track));
  if (hit.kind === 'playlist') return playlistItems(hit.playlist);
  if (hit.kind === 'folder') return folderItems(hit.folder);
  return hit.kind === 'genre' ? genreItems(hit.genre) : null;
}
