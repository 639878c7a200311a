// Conditions on the items of a list. The SQL is fixed text; values are bound.
import { ofKind, searchBase } from '../search-index/search-index.ts';
import { isOfYear, namesOf, type SearchKind } from '../search-index/search-names.ts';
import type { Params } from './statement-cache.ts';
import { termsJson, matchesOf, splitYear, termsOf, type Match } from '../search-index/search-words.ts';

/**
 * A condition on the item `i`. `idQuery` is the same condition as a subquery of ids, which is read first when few items
 * match.
 */
export interface Filter {
  condition: string;
  idQuery?: string;
  params?: Params;
  /** Cost of testing one item, relative to reading a column; 1 when absent. */
  cost?: number;
  /** The same condition on library_totals, if it can be expressed there. */
  ofTotals?: string;
  /** SQL that counts the matches, if that is quicker than testing the items. */
  count?: string;
  /** True if `count` is a lookup, fast at any library size. */
  isCounted?: boolean;
  /**
   * True if few items match at any library size: the query then reads these first and tests the other conditions on
   * them.
   */
  matchesFew?: boolean;
  /** The filter that this one negates. */
  negatedFilter?: Filter;
  /** True if the result depends on what scans know of files. */
  ofFiles?: boolean;
  /** True if the result depends on the user's likes. */
  ofLikes?: boolean;
}

/**
 * Returns filters for items whose names contain every term. A year beside other terms also finds the items of that
 * year.
 */
export function wordFilters(kind: SearchKind, q: string | undefined): Filter[] {
  const allTerms = termsOf(q);
  const { year, otherTerms } = splitYear(allTerms);
  const names = namesOf[kind]('i.id');
  if (year === undefined || kind === 'artist') return matchesOf(allTerms).map((match) => filterOf(kind, match));
  return [
    ...matchesOf(otherTerms).map((match) => filterOf(kind, match)),
    {
      condition: `(${isOfYear[kind]('i')} OR names_hold((${names}), @yearTerm))`,
      params: { ofYear: year, yearTerm: termsJson([{ forms: [`${year}`] }]) },
      cost: 15,
    },
  ];
}

const filterOf = (kind: SearchKind, { table, match, terms }: Match): Filter => ({
  condition: `names_hold((${namesOf[kind]('i.id')}), @terms_${table})`,
  idQuery: `SELECT rowid - ${searchBase(kind)} FROM ${table} WHERE ${table} MATCH @${table} AND ${ofKind(kind)}`,
  count: `SELECT count(*) FROM ${table} WHERE ${table} MATCH @${table} AND ${ofKind(kind)}`,
  params: { [table]: match, [`terms_${table}`]: termsJson(terms) },
  cost: 15,
});

const MAX_RATING = 5;

/** In a filter by format, this value stands for tracks without audio. */
export const NO_FORMAT = 'unknown';
/** Returns an SQL condition on the format of the tracks `alias`. */
export const formatTest = (alias: string, format: string): string =>
  format === NO_FORMAT ? `${alias}.format IS NULL` : `${alias}.format = @format`;

export function likedFilter(itemType: SearchKind, liked: boolean): Filter {
  const likedIds = `SELECT l.item_id FROM like_states l WHERE l.user_id = @userId AND l.item_type = '${itemType}'
    AND l.liked = 1`;
  const test = `EXISTS (${likedIds} AND l.item_id = i.id)`;
  const likes: Filter = { condition: test, idQuery: likedIds, ofLikes: true };
  return liked ? likes : { condition: `NOT ${test}`, negatedFilter: likes, ofLikes: true };
}

/** Returns a filter by the user's rating; undefined without a bound. */
export function ratingFilter(
  itemType: SearchKind,
  { ratingFrom = 0, ratingTo = MAX_RATING }: { ratingFrom?: number | undefined; ratingTo?: number | undefined },
): Filter | false {
  if (ratingFrom <= 0 && ratingTo >= MAX_RATING) return false;
  const ratedIds = `SELECT l.item_id FROM like_states l WHERE l.user_id = @userId AND l.item_type = '${itemType}'
    AND l.rating > 0`;
  if (ratingFrom > 0) {
    const idQuery = `${ratedIds} AND l.rating >= @ratingFrom AND l.rating <= @ratingTo`;
    return {
      condition: `EXISTS (${idQuery} AND l.item_id = i.id)`,
      idQuery,
      ofLikes: true,
      params: { ratingFrom, ratingTo },
    };
  }
  const higherIds = `${ratedIds} AND l.rating > @ratingTo`;
  const higherRated: Filter = {
    condition: `EXISTS (${higherIds} AND l.item_id = i.id)`,
    idQuery: higherIds,
    ofLikes: true,
    params: { ratingTo },
  };
  return {
    condition: `NOT ${higherRated.condition}`,
    ofLikes: true,
    params: { ratingTo },
    negatedFilter: higherRated,
  };
}

/** Returns SQL for the mean rating of an item by all users who rated it; NULL without a rating. */
export const averageRating = (itemType: SearchKind, id: string): string =>
  `(SELECT avg(r.rating) FROM like_states r WHERE r.user_id IN (SELECT id FROM users)
    AND r.item_type = '${itemType}' AND r.item_id = ${id} AND r.rating > 0)`;
