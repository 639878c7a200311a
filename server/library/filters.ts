// Conditions on the items of a list. The SQL is fixed text; values are bound.
import { ofKind, searchBase } from './search-index.ts';
import type { SearchKind } from './search-names.ts';
import { namesOf } from './search-names.ts';
import type { Params } from './statements.ts';
import { matchesOf, wordsOf } from './search-words.ts';

/** A condition on the item `i`. `set` is the same as a sub-select of ids, for when few items fit and it should lead. */
export interface Filter {
  each: string;
  set?: string;
  params?: Params;
  /** How many times as long as reading a column the test of one item takes; 1 when absent. */
  cost?: number;
  /** The same as a condition on library_totals, where it is one. */
  ofTotals?: string;
  /** Counts what fits it, where that is quicker than to look at the items. */
  count?: string;
  /** Its count takes no time in any library. */
  isCounted?: boolean;
  /** Few items fit it in any library: it leads, and the other conditions look at those alone. */
  few?: boolean;
  /** What fits this one is what does not fit the other. */
  not?: Filter;
  /** It changes with what the person likes. */
  ofLikes?: boolean;
}

/** What holds every word somewhere in its names. */
export function wordFilters(kind: SearchKind, q: string | undefined): Filter[] {
  const words = wordsOf(q);
  return matchesOf(words).map(({ table, match, words: some }) => ({
    each: `names_hold((${namesOf[kind]('i.id')}), @words_${table})`,
    set: `SELECT rowid - ${searchBase(kind)} FROM ${table} WHERE ${table} MATCH @${table} AND ${ofKind(kind)}`,
    count: `SELECT count(*) FROM ${table} WHERE ${table} MATCH @${table} AND ${ofKind(kind)}`,
    params: { [table]: match, [`words_${table}`]: JSON.stringify(some) },
    cost: 15,
  }));
}

export function likedFilter(itemType: SearchKind, liked: boolean): Filter {
  const mine = `SELECT l.item_id FROM like_states l WHERE l.user_id = @userId AND l.item_type = '${itemType}'
    AND l.liked = 1`;
  const test = `EXISTS (${mine} AND l.item_id = i.id)`;
  const likes: Filter = { each: test, set: mine, ofLikes: true };
  return liked ? likes : { each: `NOT ${test}`, not: likes, ofLikes: true };
}
