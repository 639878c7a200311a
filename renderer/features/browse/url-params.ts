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
  /** Values of tags, such as `OCCASION:Party;mood:Calm`. */
  tags?: string;
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
const MAX_TAGS = 20;
const MAX_TAG_CHARACTERS = 600;

/** Returns the tags with a value each, such as `OCCASION:Party`. Neither names nor values contain a semicolon. */
export const tagsIn = (text: string | undefined): string[] =>
  (text ?? '').split(';', MAX_TAGS).filter((tag) => tag.length <= MAX_TAG_CHARACTERS && /^[^:]+:\s*\S/.test(tag));

/** Returns the parameter for tags with a value each; undefined without any. */
export const toTagsText = (tags: readonly string[]): string | undefined => tags.join(';') || undefined;

export function parseTrackSearch(input: Record<string, unknown>): ListSearch<(typeof TRACK_SORT_NAMES)[number]> {
  const tags = typeof input['tags'] === 'string' ? toTagsText(tagsIn(input['tags'])) : undefined;
  return { ...parse(TRACK_SORT_NAMES, input), ...(tags !== undefined && { tags }) };
}

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

/** Parses the parameters of pages of people; they ignore roles that the server does not name. */
export const parsePeopleSearch = (input: Record<string, unknown>) => ({
  ...parseTrackSearch(input),
  ...(/^[a-z]{1,20}$/.test(String(input['role'])) && { role: String(input['role']) }),
});

/** Returns the filter as query parameters of the API, which rejects unknown formats with 422. */
export const toFilter = <Sort extends string>({
  from,
  to,
  format,
  rating,
  tags,
  ...otherFilters
}: ListSearch<Sort>) => ({
  ...otherFilters,
  format: format as TrackFilter['format'],
  year_from: from,
  year_to: to,
  rating_from: rating,
  ...(tags !== undefined && { tag: tagsIn(tags) }),
});

export const FILTERS = ['q', 'format', 'genre', 'from', 'to', 'liked', 'rating', 'tags'] as const;
export const hasFilters = (search: ListSearch<string>): boolean =>
  FILTERS.some((filter) => search[filter] !== undefined);

export const newSeed = (): number => Math.floor(Math.random() * 1e9);
