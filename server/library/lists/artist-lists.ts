// Selects and orders the artists of a list: every filter and sort of `GET /artists`.
import type { ArtistId, UserId } from '../../db/ids.ts';
import { identityKey } from '../tracks/sort-and-identity-keys.ts';
import { likedFilter, ratingFilter, wordFilters, type Filter } from './filters.ts';
import type { NewIdList } from './list-definition.ts';
import { musicFolderFilter, type MusicFolderScope } from './music-folder-filters.ts';
import { orderOf, type ListOrder, type Sort } from './sorts.ts';
import type { ArtistSort } from '../wire.ts';

export interface ArtistFilter {
  q?: string | undefined;
  /** Selects artists with a track in this genre; `yearFrom` and `yearTo` also refer to their tracks. */
  genre?: string | undefined;
  yearFrom?: number | undefined;
  yearTo?: number | undefined;
  artistId?: ArtistId | undefined;
  liked?: boolean | undefined;
  /** 0 to 5 in halves; no rating counts as 0. */
  ratingFrom?: number | undefined;
  ratingTo?: number | undefined;
  musicFolder?: MusicFolderScope | undefined;
  /** True: only artists who are the album artist of an album. */
  hasAlbums?: boolean | undefined;
}

const BY_NAME: Sort = { index: 'artists_sort_key', columns: ['sort_key', 'id'] };

export const ARTIST_SORT_PLANS: Record<Exclude<ArtistSort, 'random'>, Sort> = {
  name: BY_NAME,
  artist: BY_NAME,
  year: { index: 'artists_first_year', columns: ['first_year', 'sort_key', 'id'], nulls: true },
  created_at: { index: 'artists_created_at', columns: ['created_at', 'id'] },
  play_count: { userValue: 'plays' },
  last_played_at: { userValue: 'lastPlayedAt' },
  rating: { userValue: 'rating' },
};

export function artistList(userId: UserId, filter: ArtistFilter, order: ListOrder<ArtistSort>): NewIdList {
  return {
    itemType: 'artist',
    userId,
    filters: artistFilters(filter),
    order: orderOf('artist', ARTIST_SORT_PLANS, order),
  };
}

function artistFilters(f: ArtistFilter): Filter[] {
  const filters: (Filter | false)[] = [
    ...wordFilters('artist', f.q),
    f.genre !== undefined && {
      condition: `EXISTS (SELECT 1 FROM track_artists ta CROSS JOIN track_genres tg ON tg.track_id = ta.track_id
        WHERE ta.artist_id = i.id AND tg.genre_id = (SELECT id FROM genres WHERE name_key = @genre))`,
      idQuery: `SELECT ta.artist_id FROM genres g JOIN track_genres tg ON tg.genre_id = g.id
        JOIN track_artists ta ON ta.track_id = tg.track_id
        WHERE g.name_key = @genre`,
      params: { genre: identityKey(f.genre) },
    },
    yearsFilter(f.yearFrom, f.yearTo),
    f.artistId !== undefined && { condition: 'i.id = @artistId', matchesFew: true, params: { artistId: f.artistId } },
    f.liked !== undefined && likedFilter('artist', f.liked),
    ratingFilter('artist', f),
    musicFolderFilter('artist', f.musicFolder),
    f.hasAlbums === true && { condition: 'i.album_count > 0' },
  ];
  return filters.filter((filter) => filter !== false);
}

/** For a shorter range of years the query reads the tracks of these years, for a longer one each artist. */
const MIN_YEARS_BY_ARTIST = 20;

/** Returns the filter by year. A single track must match both bounds. */
function yearsFilter(from: number | undefined, to: number | undefined): Filter | false {
  if (from === undefined && to === undefined) return false;
  return {
    condition:
      'EXISTS (SELECT 1 FROM track_artists ta JOIN tracks t ON t.id = ta.track_id WHERE ta.artist_id = i.id AND ' +
      't.year BETWEEN @yearFrom AND @yearTo)',
    ...((to ?? 9999) - (from ?? 0) < MIN_YEARS_BY_ARTIST && {
      idQuery: `SELECT ta.artist_id FROM tracks t INDEXED BY tracks_year
        CROSS JOIN track_artists ta ON ta.track_id = t.id
        WHERE t.year BETWEEN @yearFrom AND @yearTo`,
    }),
    params: { yearFrom: from ?? 0, yearTo: to ?? 9999 },
  };
}
