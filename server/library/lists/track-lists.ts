// Selects and orders the tracks of a list: every filter and sort of `GET /tracks`.
import type { AlbumId, ArtistId, TrackId, UserId } from '../../db/ids.ts';
import type { Availability, MetadataStatus } from '../../db/schema.ts';
import {
  foldedName,
  LISTED_NUMBERS,
  LISTED_TEXTS,
  TRACK_FIELDS,
  type ListedName,
  type ListedNumber,
  type ListedText,
} from '../../db/track-fields.ts';
import { identityKey, sortKey } from '../tracks/sort-and-identity-keys.ts';
import { trackCreditFilter, type CreditFilter } from './credit-filters.ts';
import { trackTagFilters, type TagFilter } from './tag-filters.ts';
import { formatTest, likedFilter, ratingFilter, NO_FORMAT, wordFilters, type Filter } from './filters.ts';
import type { NewIdList } from './list-definition.ts';
import { musicFolderFilter, type MusicFolderScope } from './music-folder-filters.ts';
import { ALBUM_PLACE, orderOf, type ListOrder, type Sort } from './sorts.ts';
import type { TrackSort } from '../wire.ts';

/** Numbers are filtered by range, texts by substring. */
export type FieldFilters = { [F in ListedNumber as `${F}From` | `${F}To`]?: number | undefined } & {
  [F in ListedText]?: string | undefined;
};

export interface TrackFilter extends FieldFilters, CreditFilter {
  q?: string | undefined;
  source?: string | undefined;
  artistId?: ArtistId | undefined;
  albumId?: AlbumId | undefined;
  /** The complete name of the artist, in any case; `album` and `genre` likewise. */
  artist?: string | undefined;
  album?: string | undefined;
  hasCover?: boolean | undefined;
  genre?: string | undefined;
  /** Values that the tracks must all have. */
  tags?: readonly TagFilter[] | undefined;
  format?: string | undefined;
  metadataStatus?: MetadataStatus | undefined;
  availability?: Availability | undefined;
  /** Excludes placeholders. */
  withoutRemote?: boolean | undefined;
  liked?: boolean | undefined;
  /** 0 to 5 in halves; no rating counts as 0. */
  ratingFrom?: number | undefined;
  ratingTo?: number | undefined;
  musicFolder?: MusicFolderScope | undefined;
  folder?: FolderScope | undefined;
  /** Ids to exclude. */
  excludedIds?: readonly TrackId[] | undefined;
}

/** A folder on disk, by its path as in `source_id`. */
interface FolderScope {
  path: string;
  /** True to include the folders below it. */
  isRecursive: boolean;
  /** Paths of the other music folders, which do not count as part of the first. */
  otherRoots: readonly string[];
}

/** The filter of a request. The service adds the paths of the other music folders and finds the best files. */
export interface TrackListFilter extends Omit<TrackFilter, 'folder' | 'excludedIds'> {
  folder?: Omit<FolderScope, 'otherRoots'> | undefined;
  /** For an album: selects only the best file of each recording. */
  bestOnly?: boolean | undefined;
}

export const TRACK_SORT_PLANS: Record<Exclude<TrackSort, 'random'>, Sort> = {
  title: { index: 'tracks_title_sort', columns: ['title_sort', 'id'] },
  artist: {
    index: 'tracks_artist_sort',
    columns: ['artist_sort', 'album_sort', 'album_id', ALBUM_PLACE, 'id'],
  },
  album: { index: 'tracks_album_sort', columns: ['album_sort', 'album_id', ALBUM_PLACE, 'id'] },
  ...fieldSorts(),
  // the index is not partial, since nearly every track has a year
  year: { index: 'tracks_year', columns: ['year', 'id'], nulls: true },
  created_at: { index: 'tracks_created_at', columns: ['created_at', 'id'] },
  duration: { index: 'tracks_duration', columns: ['duration_ms', 'id'], nulls: true },
  play_count: { userValue: 'plays' },
  last_played_at: { userValue: 'lastPlayedAt' },
  rating: { userValue: 'rating' },
  path: { index: 'tracks_source_source_id_unique', columns: ['source', 'source_id', 'id'] },
};

/** The first condition makes the partial index of unavailable tracks usable. */
const IS_REMOTE = "i.availability <> 'available' AND i.availability IN ('remote', 'fetching')";
/** Selects those of the ids whose tracks are not placeholders. */
export const NOT_REMOTE = `SELECT i.id FROM json_each(@ids) ids CROSS JOIN tracks i ON i.id = ids.value
  WHERE NOT (${IS_REMOTE}) ORDER BY ids.key`;

export function trackList(userId: UserId, filter: TrackFilter, order: ListOrder<TrackSort>): NewIdList {
  return { itemType: 'track', userId, filters: trackFilters(filter), order: orderOf('track', TRACK_SORT_PLANS, order) };
}

/** Selects unavailable tracks with a partial index: nearly all tracks are available. */
const UNAVAILABLE_TRACKS: Filter = { condition: "i.availability <> 'available'" };
const availabilityFilter = (availability: Availability): Filter =>
  availability === 'available'
    ? { condition: "i.availability = 'available'", negatedFilter: UNAVAILABLE_TRACKS }
    : { condition: `${UNAVAILABLE_TRACKS.condition} AND i.availability = @availability`, params: { availability } };

function fieldSorts(): Record<ListedName, Sort> {
  const numbers = LISTED_NUMBERS.map((field): [string, string] => [TRACK_FIELDS[field].name, TRACK_FIELDS[field].name]);
  const texts = LISTED_TEXTS.map((field): [string, string] => [TRACK_FIELDS[field].name, foldedName(field)]);
  return Object.fromEntries(
    [...numbers, ...texts].map(([name, column]): [string, Sort] => [
      name,
      { index: `tracks_${name}`, columns: [column, 'id'], nulls: 'partial' },
    ]),
  ) as Record<ListedName, Sort>;
}

function rangeFilters(field: ListedNumber, from: number | undefined, to: number | undefined): (Filter | false)[] {
  const column = `i.${TRACK_FIELDS[field].name}`;
  return [
    from !== undefined && { condition: `${column} >= @${field}From`, params: { [`${field}From`]: from } },
    to !== undefined && { condition: `${column} <= @${field}To`, params: { [`${field}To`]: to } },
  ];
}

/** Returns a filter by part of a text. Its first condition makes the partial index usable. */
const partFilter = (field: ListedText, text: string): Filter => ({
  condition: `i.${foldedName(field)} IS NOT NULL AND instr(i.${foldedName(field)}, @${field}) > 0`,
  params: { [field]: sortKey(text) },
});

/**
 * The cost of filters by folder: tracks of a folder are adjacent in the order of paths, so walking another order to
 * find them would take long.
 */
const NEVER_WALK_COST = 1e6;

function folderFilter({ path, isRecursive, otherRoots }: FolderScope): Filter {
  if (!isRecursive) {
    const files = `SELECT s.track_id FROM source_files s JOIN source_folders d ON d.id = s.folder_id
      WHERE d.source = 'local_folder' AND d.path = @folder AND s.state = 'track' AND s.track_id IS NOT NULL`;
    return {
      condition: `EXISTS (${files} AND s.track_id = i.id)`,
      idQuery: files,
      matchesFew: true,
      ofFiles: true,
      cost: NEVER_WALK_COST,
      params: { folder: path },
    };
  }
  return {
    condition: `i.source = 'local_folder' AND i.source_id >= @folderFrom AND i.source_id < @folderEnd
      AND NOT EXISTS (SELECT 1 FROM json_each(@notFolders) k
        WHERE i.source_id >= k.value || '/' AND i.source_id < k.value || '0')`, // `0` comes after `/` in ASCII
    params: {
      folderFrom: path === '' ? '' : `${path}/`.normalize('NFC'),
      folderEnd: path === '' ? '\u{10ffff}' : `${path}0`.normalize('NFC'),
      notFolders: JSON.stringify(path === '' ? otherRoots : []),
    },
  };
}

/** Returns the filter that matches `hasCover` of track-rows.ts. */
function coverFilter(hasCover: boolean): Filter {
  const test = `(EXISTS (SELECT 1 FROM album_covers c WHERE c.album_id = i.album_id AND c.key IS NOT NULL)
    OR i.cover_url IS NOT NULL OR (i.album_sort = '' AND i.has_picture = 1))`;
  return { condition: hasCover ? test : `NOT ${test}`, cost: 2 };
}

function trackFilters(f: TrackFilter): Filter[] {
  const filters: (Filter | false)[] = [
    ...wordFilters('track', f.q),
    f.source !== undefined && {
      condition: 'i.source = @source',
      ofTotals: 'source = @source',
      params: { source: f.source },
    },
    f.artistId !== undefined && {
      condition: 'EXISTS (SELECT 1 FROM track_artists ta WHERE ta.artist_id = @artistId AND ta.track_id = i.id)',
      idQuery: 'SELECT ta.track_id FROM track_artists ta WHERE ta.artist_id = @artistId',
      matchesFew: true,
      params: { artistId: f.artistId },
    },
    f.albumId !== undefined && {
      condition: 'i.album_id = +@albumId',
      matchesFew: true,
      params: { albumId: f.albumId },
    },
    f.artist !== undefined && {
      condition: `EXISTS (SELECT 1 FROM track_artists ta WHERE ta.track_id = i.id
        AND ta.artist_id = (SELECT id FROM artists WHERE name_key = @artist))`,
      idQuery: `SELECT ta.track_id FROM track_artists ta
        WHERE ta.artist_id = (SELECT id FROM artists WHERE name_key = @artist)`,
      matchesFew: true,
      params: { artist: identityKey(f.artist) },
    },
    f.album !== undefined && {
      condition: 'i.album_id IN (SELECT id FROM albums WHERE title_sort = @album)',
      idQuery: 'SELECT t.id FROM albums a CROSS JOIN tracks t ON t.album_id = a.id WHERE a.title_sort = @album',
      matchesFew: true,
      params: { album: sortKey(f.album) },
    },
    trackCreditFilter(f),
    f.hasCover !== undefined && coverFilter(f.hasCover),
    f.genre !== undefined && {
      condition: `EXISTS (SELECT 1 FROM track_genres tg
        WHERE tg.genre_id = (SELECT id FROM genres WHERE name_key = @genre) AND tg.track_id = i.id)`,
      idQuery: 'SELECT tg.track_id FROM genres g JOIN track_genres tg ON tg.genre_id = g.id WHERE g.name_key = @genre',
      count: 'SELECT coalesce((SELECT track_count FROM genres WHERE name_key = @genre), 0)',
      isCounted: true,
      params: { genre: identityKey(f.genre) },
    },
    ...trackTagFilters(f.tags),
    ...LISTED_NUMBERS.flatMap((field) => rangeFilters(field, f[`${field}From`], f[`${field}To`])),
    ...LISTED_TEXTS.map((field) => f[field] !== undefined && partFilter(field, f[field])),
    f.format !== undefined && {
      condition: formatTest('i', f.format),
      ofTotals: f.format === NO_FORMAT ? "format = ''" : 'format = @format',
      params: { format: f.format },
    },
    f.metadataStatus !== undefined && {
      condition: 'i.metadata_status = @metadataStatus',
      ofTotals: 'metadata_status = @metadataStatus',
      params: { metadataStatus: f.metadataStatus },
    },
    f.availability !== undefined && availabilityFilter(f.availability),
    f.withoutRemote === true && { condition: `NOT (${IS_REMOTE})`, negatedFilter: { condition: IS_REMOTE } },
    f.liked !== undefined && likedFilter('track', f.liked),
    ratingFilter('track', f),
    musicFolderFilter('track', f.musicFolder),
    f.folder !== undefined && folderFilter(f.folder),
    f.excludedIds !== undefined &&
      f.excludedIds.length > 0 && {
        condition: 'i.id NOT IN (SELECT value FROM json_each(@without))',
        params: { without: JSON.stringify(f.excludedIds) },
      },
  ];
  return filters.filter((filter) => filter !== false);
}
