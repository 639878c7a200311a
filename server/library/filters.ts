// Conditions on the items of a list. The SQL is fixed text; values are bound.
import { SEARCH_KINDS, type SearchKind } from './search-index.ts';
import type { Params } from './statements.ts';

/** A condition on the item `i`. `set` is the same as a sub-select of ids, for when few items fit and it should lead. */
export interface Filter {
  each: string;
  set?: string;
  params?: Params;
}

/** Ids of what holds the phrase in its search text. */
export const matchingIds = (kind: SearchKind, param: string): string =>
  `SELECT rowid >> 2 FROM search_trigrams WHERE search_trigrams MATCH @${param} AND (rowid & 3) = ${SEARCH_KINDS[kind]}`;

export function likedFilter(itemType: SearchKind, liked: boolean): Filter {
  const mine = `SELECT l.item_id FROM like_states l WHERE l.user_id = @userId AND l.item_type = '${itemType}' AND l.liked = 1`;
  const test = `EXISTS (${mine} AND l.item_id = i.id)`;
  return liked ? { each: test, set: mine } : { each: `NOT ${test}` };
}
