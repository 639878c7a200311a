// Sort orders, as listed in the menu. Their names are those of the API.
import type { AlbumSort, ArtistSort, TrackSort } from '../../../server/library/wire.ts';
import type { AlbumOut, ArtistOut } from '../../api/routes.ts';
import type { SortOrder } from '../../api/library.ts';
import { SORTABLE_FIELDS } from '../../music/track-fields.ts';

export const ALBUM_SORT_NAMES = [
  'title',
  'artist',
  'year',
  'created_at',
  'play_count',
  'last_played_at',
  'rating',
  'random',
] as const satisfies readonly AlbumSort[];
export const ARTIST_SORT_NAMES = [
  'name',
  'created_at',
  'play_count',
  'last_played_at',
  'rating',
  'random',
] as const satisfies readonly ArtistSort[];
export const TRACK_SORT_NAMES = [
  'title',
  'artist',
  'album',
  ...SORTABLE_FIELDS,
  'created_at',
  'duration',
  'play_count',
  'last_played_at',
  'rating',
  'random',
] as const satisfies readonly TrackSort[];

const withoutThe = (name: string | null): string | undefined => name?.replace(/^the /i, '');

/** Returns the name that an album is sorted by; undefined for other sort orders. */
export const albumName = ({ title, artist_name }: AlbumOut, sort: AlbumSort): string | undefined =>
  sort === 'artist' ? withoutThe(artist_name) : title;
export const artistName = ({ sort_name }: ArtistOut): string => sort_name;

const NEWEST_FIRST = new Set<string>(['year', 'original_year', 'created_at', 'play_count', 'last_played_at', 'rating']);

/** Returns the default order: names ascend, times, counts and ratings descend. */
export const naturalOrder = (sort: string): SortOrder => (NEWEST_FIRST.has(sort) ? 'desc' : 'asc');
