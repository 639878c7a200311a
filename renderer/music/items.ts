// The items that a menu, a key or a drag works on: one or many tracks, albums, artists, genres, playlists or folders.
// A list may have more rows than are loaded, so tracks are fetched when an action needs them.
import { request } from '../api/client.ts';
import type { AlbumOut, ArtistOut, GenreOut, PlaylistOut, TrackOut } from '../api/routes.ts';
import { fetchAlbumTracks, fetchAll, fetchArtistTracks, fetchFilteredTracks } from '../api/library.ts';
import type { ListSource, QueueTrack } from '../player/player.ts';
import type { ItemTrack, TrackGroup } from './track-drag.ts';

interface Entities {
  track: ItemTrack;
  album: AlbumOut;
  artist: ArtistOut;
  genre: GenreOut;
  playlist: PlaylistOut;
  /** A folder whose `path` is as in `source_id`; `:` is the first music folder. */
  folder: { path: string; name: string };
}
export type ItemKind = keyof Entities;

/** Commands that steer a radio. */
export interface Steer {
  more: (track: QueueTrack) => void;
  less: (track: QueueTrack) => void;
  never: (track: QueueTrack) => Promise<void>;
  neverArtist: (track: QueueTrack) => Promise<void>;
}

/** The place of tracks that are entries of a changeable list: a playlist or the queue. */
interface ListPlace {
  playlistId?: number;
  remove?: () => void;
  toTop?: () => void;
  toEnd?: () => void;
  /** The commands of a radio; absent outside of radios. */
  steer?: Steer;
}

interface ItemsOf<K extends ItemKind> {
  kind: K;
  /** Number of items, not of tracks. */
  count: number;
  /** The name of a single item; empty for several items. */
  name: string;
  /** The item, if there is exactly one. */
  only?: Entities[K] | undefined;
  /** The items, if all of them are loaded. */
  loaded?: readonly Entities[K][] | undefined;
  /** Returns the items. */
  each: () => Promise<readonly Entities[K][]>;
  /** Returns all tracks in the order in which they play. */
  load: () => Promise<TrackOut[]>;
  /**
   * Like `load`, but includes the tracks that do not play because the album has a better file of the same recording.
   */
  loadFiles: () => Promise<TrackOut[]>;
  /** The query of the tracks, if they are a list that may be too long to load. */
  source?: ListSource;
  place?: ListPlace;
}
export type Items = { [K in ItemKind]: ItemsOf<K> }[ItemKind];

async function inOrder<T>(parts: readonly T[], load: (part: T) => Promise<TrackOut[]>): Promise<TrackOut[]> {
  const tracks: TrackOut[] = [];
  for (const part of parts) tracks.push(...(await load(part)));
  return tracks;
}

function itemsOf<K extends ItemKind>(
  kind: K,
  list: readonly Entities[K][],
  nameOf: (entity: Entities[K]) => string,
  load: (entity: Entities[K]) => Promise<TrackOut[]>,
  loadDownloadable = load,
): ItemsOf<K> {
  const [firstItem] = list;
  const onlyItem = list.length === 1 ? firstItem : undefined;
  return {
    kind,
    count: list.length,
    name: onlyItem ? nameOf(onlyItem) : '',
    only: onlyItem,
    loaded: list,
    each: async () => list,
    load: () => inOrder(list, load),
    loadFiles: () => inOrder(list, loadDownloadable),
  };
}

/** Returns items for rows of a table, not all of which may be loaded. */
export const trackItems = ({ count, only, loaded, source, load }: TrackGroup, place?: ListPlace): Items => ({
  kind: 'track',
  count,
  name: only?.title ?? '',
  only,
  loaded: loaded ?? (only && [only]),
  each: load,
  load,
  loadFiles: load,
  ...(source && { source }),
  ...(place && { place }),
});
export const albumItems = (...albums: AlbumOut[]): Items =>
  itemsOf(
    'album',
    albums,
    ({ title }) => title,
    ({ id }) => fetchAlbumTracks(id, { best_only: true }),
    ({ id }) => fetchAlbumTracks(id),
  );
export const artistItems = (...artists: ArtistOut[]): Items =>
  itemsOf(
    'artist',
    artists,
    ({ name }) => name,
    ({ id }) => fetchArtistTracks(id),
  );
export const genreItems = (genre: GenreOut): Items => {
  const query = { genre: genre.name, sort: 'album' } as const;
  const load = () => fetchFilteredTracks(query);
  return { ...itemsOf('genre', [genre], ({ name }) => name, load), source: { name: genre.name, query } };
};
export const folderItems = (folder: Entities['folder']): Items => {
  const query = { folder: folder.path, sort: 'path' } as const;
  const load = () => fetchFilteredTracks(query);
  return { ...itemsOf('folder', [folder], ({ name }) => name, load), source: { name: folder.name, query } };
};
export const playlistItems = (...playlists: PlaylistOut[]): Items => {
  const items = itemsOf(
    'playlist',
    playlists,
    ({ name }) => name,
    ({ id }) => fetchPlaylistTracks(id),
  );
  const { only } = items;
  return only ? { ...items, source: { name: only.name, query: { playlist: only.id } } } : items;
};

async function fetchPlaylistTracks(id: number): Promise<TrackOut[]> {
  const entries = await fetchAll((rows) => request('GET /playlists/{id}/tracks', { path: { id }, query: rows }));
  return entries.map(({ track }) => track);
}

/** Returns the address of the item's page; a track leads to its album. */
export function pageOf(items: Items): string | undefined {
  if (items.kind === 'track') return items.only?.album_id ? `/albums/${items.only.album_id}` : undefined;
  if (items.kind === 'genre')
    return items.only && `/albums?${new URLSearchParams({ genre: items.only.name }).toString()}`;
  if (items.kind === 'folder')
    return items.only && `/folders?${new URLSearchParams({ path: items.only.path }).toString()}`;
  return items.only && `/${items.kind}s/${items.only.id}`;
}

/** Returns whether an album is filed under an artist, alone or with others; it may also have only tracks by them. */
export const isFiledUnder = ({ artists }: AlbumOut, artistId: number): boolean =>
  artists.some(({ id }) => id === artistId);
