// Which tracks a list holds and in what order: every filter and sort of `GET /tracks` (decisions 5).
import type { AlbumId, ArtistId, UserId } from '../db/ids.ts';
import type { Availability, MetadataStatus } from '../db/schema.ts';
import { identityKey } from './fold.ts';
import { likedFilter, matchingIds, type Filter } from './filters.ts';
import type { IdList } from './id-lists.ts';
import { orderOf, type ListOrder, type Sort } from './sorts.ts';
import type { TrackSort } from './wire.ts';
import { isIndexed, toPattern, toPhrase, wordsOf } from './words.ts';

export interface TrackFilter {
  q?: string | undefined;
  source?: string | undefined;
  artistId?: ArtistId | undefined;
  albumId?: AlbumId | undefined;
  genre?: string | undefined;
  yearFrom?: number | undefined;
  yearTo?: number | undefined;
  format?: string | undefined;
  metadataStatus?: MetadataStatus | undefined;
  availability?: Availability | undefined;
  liked?: boolean | undefined;
}

export const TRACK_SORT_PLANS: Record<Exclude<TrackSort, 'random'>, Sort> = {
  title: { index: 'tracks_title_sort', columns: ['title_sort', 'id'] },
  artist: { index: 'tracks_artist_sort', columns: ['artist_sort', 'album_sort', 'album_id', 'disc_number', 'track_number', 'id'] },
  album: { index: 'tracks_album_sort', columns: ['album_sort', 'album_id', 'disc_number', 'track_number', 'id'] },
  year: { index: 'tracks_year', columns: ['year', 'id'], nulls: true },
  created_at: { index: 'tracks_created_at', columns: ['created_at', 'id'] },
  duration: { index: 'tracks_duration', columns: ['duration_ms', 'id'], nulls: true },
  play_count: { played: 'plays' },
  last_played_at: { played: 'last_played_at' },
};

export function trackList(userId: UserId, filter: TrackFilter, order: ListOrder<TrackSort>): IdList {
  return { itemType: 'track', userId, filters: trackFilters(filter), order: orderOf('track', TRACK_SORT_PLANS, order) };
}

function trackFilters(f: TrackFilter): Filter[] {
  return [
    ...wordsOf(f.q).map(wordFilter),
    f.source !== undefined && { each: 'i.source = @source', params: { source: f.source } },
    f.artistId !== undefined && {
      each: 'EXISTS (SELECT 1 FROM track_artists ta WHERE ta.artist_id = @artistId AND ta.track_id = i.id)',
      set: 'SELECT ta.track_id FROM track_artists ta WHERE ta.artist_id = @artistId', params: { artistId: f.artistId },
    },
    f.albumId !== undefined && { each: 'i.album_id = @albumId', params: { albumId: f.albumId } },
    f.genre !== undefined && {
      each: 'EXISTS (SELECT 1 FROM track_genres tg WHERE tg.genre_id = (SELECT id FROM genres WHERE name_key = @genre) AND tg.track_id = i.id)',
      set: 'SELECT tg.track_id FROM genres g JOIN track_genres tg ON tg.genre_id = g.id WHERE g.name_key = @genre', params: { genre: identityKey(f.genre) },
    },
    f.yearFrom !== undefined && { each: 'i.year >= @yearFrom', params: { yearFrom: f.yearFrom } },
    f.yearTo !== undefined && { each: 'i.year <= @yearTo', params: { yearTo: f.yearTo } },
    f.format !== undefined && { each: 'i.format = @format', params: { format: f.format.toLowerCase() } },
    f.metadataStatus !== undefined && { each: 'i.metadata_status = @metadataStatus', params: { metadataStatus: f.metadataStatus } },
    f.availability !== undefined && { each: 'i.availability = @availability', params: { availability: f.availability } },
    f.liked !== undefined && likedFilter('track', f.liked),
  ].filter((filter) => filter !== false);
}

/** Title and artist are in the track's own search text, the album's title is in the album's. */
function wordFilter(word: string, at: number): Filter {
  const name = `word${at}`;
  if (!isIndexed(word)) {
    return { each: ['title_sort', 'artist_sort', 'album_sort'].map((c) => `i.${c} LIKE @${name} ESCAPE '\\'`).join(' OR '), params: { [name]: toPattern(word) } };
  }
  const set = `${matchingIds('track', name)} UNION ALL SELECT t.id FROM tracks t WHERE t.album_id IN (${matchingIds('album', name)})`;
  return { each: `i.id IN (${set})`, params: { [name]: toPhrase(word) } };
}
