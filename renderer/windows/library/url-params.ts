// Parameters in the URLs of pages that are loaded on demand; the parameters of lists are in
// features/browse/url-params.ts. Invalid values are dropped.
import { MISSING_SORTS, type MissingOrder } from '../../api/missing.ts';
import { parseRangeSearch, type RangeSearch } from '../../ui/day-range.ts';

const MAX_STEPS = 50;
const MAX_FILTER_CHARACTERS = 200;

type MissingSearch = { [K in keyof MissingOrder]: NonNullable<MissingOrder[K]> };

/** Parses the sort order of the table. */
export function parseMissingSearch(input: Record<string, unknown>): MissingSearch {
  const sort = MISSING_SORTS.find((name) => name === input['sort']);
  const order = (['asc', 'desc'] as const).find((name) => name === input['order']);
  return { ...(sort && { sort }), ...(order && { order }) };
}

interface PlaylistSearch {
  /** Words that the tracks have in their names. */
  q?: string;
  versions?: true;
  version?: number;
}

/** Parses the filter of a playlist, whether its versions are displayed, and which version is selected. */
export function parsePlaylistSearch(input: Record<string, unknown>): PlaylistSearch {
  const version = /^[1-9]\d{0,9}$/.test(String(input['version'])) ? Number(input['version']) : undefined;
  return {
    ...(typeof input['q'] === 'string' && input['q'] !== '' && { q: input['q'].slice(0, MAX_FILTER_CHARACTERS) }),
    ...((version !== undefined || String(input['versions']) === 'true') && { versions: true as const }),
    ...(version !== undefined && { version }),
  };
}

interface PathSearch {
  from?: number | undefined;
  to?: number | undefined;
  steps?: number | undefined;
}

/** Parses the tracks at both ends, and the number of tracks between them. */
export function parsePathSearch(input: Record<string, unknown>): PathSearch {
  const number = (name: 'from' | 'to' | 'steps'): number | undefined =>
    /^[1-9]\d{0,14}$/.test(String(input[name])) ? Number(input[name]) : undefined;
  const steps = number('steps');
  return { from: number('from'), to: number('to'), steps: steps && Math.min(steps, MAX_STEPS) };
}

interface StatisticsSearch extends RangeSearch {
  measure?: 'minutes';
  year?: number;
}

export const parseStatisticsSearch = (input: Record<string, unknown>): StatisticsSearch => ({
  ...parseRangeSearch(input),
  ...(input['measure'] === 'minutes' && { measure: 'minutes' }),
  ...(/^(19|20|21)\d\d$/.test(String(input['year'])) && { year: Number(input['year']) }),
});
