// Search parameters of lists: order and filters. Invalid values are dropped without an error.
import { ALBUM_SORT_NAMES, ARTIST_SORT_NAMES, TRACK_SORT_NAMES } from './sort-options.ts';
import type { SortOrder, TrackFilter } from '../../api/library.ts';

export interface ListSearch<Sort extends string> {
  /** Words to find in names. */
  q?: string;
  format?: string;
  sort?: Sort;
  order?: SortOrder;
  genre?: string;
  from?: number;
  to?: number;
  liked?: boolean;
  /** Items with at least this rating, 1 to 5. */
  rating?: number;
  seed?: number;
  /** Only albums without a title. */
  unnamed?: boolean;
}

const oneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((candidate) => candidate === value);
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, 200) : undefined;
const year = (value: unknown): number | undefined => (/^\d{1,4}$/.test(String(value)) ? Number(value) : undefined);
const toWholeNumber = (value: unknown): number | undefined =>
  /^\d{1,9}$/.test(String(value)) ? Number(value) : undefined;

function parse<Sort extends string>(sorts: readonly Sort[], input: Record<string, unknown>): ListSearch<Sort> {
  const parsedSearch = {
    q: text(input['q']),
    format: text(input['format']),
    sort: oneOf(sorts, input['sort']),
    order: oneOf(['asc', 'desc'] as const, input['order']),
    genre: text(input['genre']),
    from: year(input['from']),
    to: year(input['to']),
    liked: String(input['liked']) === 'true' ? true : undefined,
    rating: /^[1-5]$/.test(String(input['rating'])) ? Number(input['rating']) : undefined,
    seed: toWholeNumber(input['seed']),
  };
  return Object.fromEntries(Object.entries(parsedSearch).filter(([, value]) => value !== undefined));
}

export const parseAlbumSearch = (input: Record<string, unknown>) => ({
  ...parse(ALBUM_SORT_NAMES, input),
  ...(String(input['unnamed']) === 'true' && { unnamed: true }),
});
export const parseArtistSearch = (input: Record<string, unknown>) => parse(ARTIST_SORT_NAMES, input);
export const parseTrackSearch = (input: Record<string, unknown>) => parse(TRACK_SORT_NAMES, input);

export type LikedKind = 'tracks' | 'albums' | 'artists';

/**
 * Parses the parameters of the liked page. Sort orders of one kind are invalid for another kind, and are dropped when
 * the kind changes.
 */
export function parseLikedSearch(input: Record<string, unknown>) {
  const kind = oneOf(['albums', 'artists'] as const, input['kind']);
  return kind === 'albums'
    ? { ...parseAlbumSearch(input), kind }
    : kind === 'artists'
      ? { ...parseArtistSearch(input), kind }
      : { ...parseTrackSearch(input), kind: undefined as LikedKind | undefined };
}

export const parseGenreSearch = (input: Record<string, unknown>): { view?: 'list' } =>
  input['view'] === 'list' ? { view: 'list' } : {};

/** Returns the filter as query parameters of the API, which rejects unknown formats with 422. */
export const toFilter = <Sort extends string>({ from, to, format, rating, ...otherFilters }: ListSearch<Sort>) => ({
  ...otherFilters,
  format: format as TrackFilter['format'],
  year_from: from,
  year_to: to,
  rating_from: rating,
});

export const FILTERS = ['q', 'format', 'genre', 'from', 'to', 'liked', 'rating'] as const;
export const hasFilters = (search: ListSearch<string>): boolean =>
  FILTERS.some((filter) => search[filter] !== undefined);

export const newSeed = (): number => Math.floor(Math.random() * 1e9);
