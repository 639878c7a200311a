// Selects and orders the albums of a list: every filter and sort of `GET /albums`.
import type { ArtistId, UserId } from '../../db/ids.ts';
import { albumCreditFilter, type CreditFilter } from './credit-filters.ts';
import { identityKey } from '../tracks/sort-and-identity-keys.ts';
import { isNamed } from '../../db/unknown-names.ts';
import { formatTest, likedFilter, ratingFilter, wordFilters, type Filter } from './filters.ts';
import type { NewIdList } from './list-definition.ts';
import { musicFolderFilter, type MusicFolderScope } from './music-folder-filters.ts';
import { albumTagFilters, type TagFilter } from './tag-filters.ts';
import { orderOf, type ListOrder, type Sort } from './sorts.ts';
import type { AlbumSort } from '../wire.ts';

export interface AlbumFilter extends CreditFilter {
  q?: string | undefined;
  genre?: string | undefined;
  /** Values, each of which a track of the album must have. */
  tags?: readonly TagFilter[] | undefined;
  yearFrom?: number | undefined;
  yearTo?: number | undefined;
  /** Selects albums that came out in these years, first or as this release. */
  releasedFrom?: number | undefined;
  releasedTo?: number | undefined;
  /** Selects albums of the artist and albums with a track by the artist. */
  artistId?: ArtistId | undefined;
  /** Selects albums that are filed under the artist, alone or with others. */
  albumArtistId?: ArtistId | undefined;
  /** The complete name of the album artist, in any case. */
  artist?: string | undefined;
  hasCover?: boolean | undefined;
  format?: string | undefined;
  liked?: boolean | undefined;
  /** 0 to 5 in halves; no rating counts as 0. */
  ratingFrom?: number | undefined;
  ratingTo?: number | undefined;
  /** True: only albums without a name; false: only albums with a name. */
  unnamed?: boolean | undefined;
  musicFolder?: MusicFolderScope | undefined;
}

export const ALBUM_SORT_PLANS: Record<Exclude<AlbumSort, 'random'>, Sort> = {
  title: { index: 'albums_title_sort', columns: ['title_sort', 'id'] },
  artist: { index: 'albums_artist_sort', columns: ['artist_sort', 'year', 'title_sort', 'id'] },
  year: { index: 'albums_year', columns: ['year', 'id'], nulls: true },
  created_at: { index: 'albums_created_at', columns: ['created_at', 'id'] },
  play_count: { userValue: 'plays' },
  last_played_at: { userValue: 'lastPlayedAt' },
  rating: { userValue: 'rating' },
};

export function albumList(userId: UserId, filter: AlbumFilter, order: ListOrder<AlbumSort>): NewIdList {
  return { itemType: 'album', userId, filters: albumFilters(filter), order: orderOf('album', ALBUM_SORT_PLANS, order) };
}

function albumFilters(f: AlbumFilter): Filter[] {
  const filters: (Filter | false)[] = [
    ...wordFilters('album', f.q),
    f.genre !== undefined && {
      condition:
        'EXISTS (SELECT 1 FROM album_genres ag WHERE ag.genre_id = (SELECT id FROM genres WHERE name_key = ' +
        '@genre) AND ag.album_id = i.id)',
      idQuery: 'SELECT ag.album_id FROM genres g JOIN album_genres ag ON ag.genre_id = g.id WHERE g.name_key = @genre',
      count: 'SELECT count(*) FROM genres g JOIN album_genres ag ON ag.genre_id = g.id WHERE g.name_key = @genre',
      isCounted: true,
      params: { genre: identityKey(f.genre) },
    },
    f.yearFrom !== undefined && { condition: 'i.year >= @yearFrom', params: { yearFrom: f.yearFrom } },
    f.yearTo !== undefined && { condition: 'i.year <= @yearTo', params: { yearTo: f.yearTo } },
    f.artistId !== undefined && {
      condition:
        'i.artist_id = @artistId OR EXISTS (SELECT 1 FROM album_artists r WHERE r.album_id = i.id AND r.artist_id = ' +
        '@artistId) OR EXISTS (SELECT 1 FROM tracks t CROSS JOIN track_artists ta ON ta.track_id = t.id WHERE ' +
        't.album_id = i.id AND ta.artist_id = @artistId)',
      idQuery: `SELECT a.id FROM albums a WHERE a.artist_id = @artistId
        UNION ALL SELECT r.album_id FROM album_artists r WHERE r.artist_id = @artistId
        UNION ALL SELECT t.album_id FROM track_artists ta JOIN tracks t ON t.id = ta.track_id
        WHERE ta.artist_id = @artistId`,
      matchesFew: true,
      params: { artistId: f.artistId },
    },
    f.albumArtistId !== undefined && {
      condition:
        'i.artist_id = @albumArtistId OR EXISTS (SELECT 1 FROM album_artists r WHERE r.album_id = i.id AND ' +
        'r.artist_id = @albumArtistId)',
      idQuery: `SELECT a.id FROM albums a WHERE a.artist_id = @albumArtistId
        UNION SELECT r.album_id FROM album_artists r WHERE r.artist_id = @albumArtistId`,
      matchesFew: true,
      params: { albumArtistId: f.albumArtistId },
    },
    f.releasedFrom !== undefined &&
      f.releasedTo !== undefined && {
        condition: `i.year BETWEEN @releasedFrom AND @releasedTo OR EXISTS (SELECT 1 FROM tracks t
          WHERE t.album_id = i.id AND t.original_year BETWEEN @releasedFrom AND @releasedTo)`,
        idQuery: `SELECT a.id FROM albums a WHERE a.year BETWEEN @releasedFrom AND @releasedTo
          UNION SELECT t.album_id FROM tracks t WHERE t.original_year BETWEEN @releasedFrom AND @releasedTo`,
        params: { releasedFrom: f.releasedFrom, releasedTo: f.releasedTo },
      },
    f.artist !== undefined && {
      condition: 'i.artist_id = (SELECT id FROM artists WHERE name_key = @artist)',
      matchesFew: true,
      params: { artist: identityKey(f.artist) },
    },
    albumCreditFilter(f),
    ...albumTagFilters(f.tags),
    f.hasCover !== undefined && {
      condition: `${f.hasCover ? '' : 'NOT '}(EXISTS (SELECT 1 FROM album_covers c
          WHERE c.album_id = i.id AND c.key IS NOT NULL)
        OR ${isNamed('i')} AND EXISTS (SELECT 1 FROM tracks t WHERE t.album_id = i.id AND t.cover_url IS NOT NULL))`,
      cost: 2,
    },
    f.format !== undefined && {
      condition: `EXISTS (SELECT 1 FROM tracks t WHERE t.album_id = i.id AND ${formatTest('t', f.format)})`,
      params: { format: f.format },
    },
    f.liked !== undefined && likedFilter('album', f.liked),
    ratingFilter('album', f),
    f.unnamed !== undefined && unnamedFilter(f.unnamed),
    musicFolderFilter('album', f.musicFolder),
  ];
  return filters.filter((filter) => filter !== false);
}

function unnamedFilter(unnamed: boolean): Filter {
  const unnamedAlbums: Filter = {
    condition: `NOT ${isNamed('i')}`,
    idQuery: `SELECT a.id FROM albums a WHERE NOT ${isNamed('a')}`,
    matchesFew: true,
  };
  return unnamed ? unnamedAlbums : { condition: isNamed('i'), negatedFilter: unnamedAlbums };
}
