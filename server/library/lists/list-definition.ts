// Definition of a list: the items that it selects, the user, and the order. Filters and orders are fixed SQL; values
// are bound.
import type { UserId } from '../../db/ids.ts';
import type { ItemType } from '../../db/schema.ts';
import type { Filter } from './filters.ts';
import type { ListedOrder } from './sorts.ts';
import type { Params, Topic } from './statement-cache.ts';

export interface IdList {
  itemType: ItemType;
  userId: UserId;
  filters: Filter[];
  order: ListedOrder;
  /** Values bound by the filters, and the user's id. */
  params: Params;
}

export type NewIdList = Omit<IdList, 'params'>;

export const toIdList = (list: NewIdList): IdList => ({
  ...list,
  params: Object.assign({ userId: list.userId }, ...list.filters.map((f) => f.params ?? {})) as Params,
});

export const setOf = ({ condition, idQuery }: Filter): string =>
  idQuery === undefined ? condition : `i.id IN (${idQuery})`;

/**
 * Returns the conditions for finding matches in any order. If a filter matches few items, the other conditions are
 * tested on each of these.
 */
export const conditionsOf = (filters: readonly Filter[]): string[] => {
  const hasFew = filters.some(({ matchesFew }) => matchesFew);
  return filters.map((filter) => (hasFew && !filter.matchesFew ? filter.condition : setOf(filter)));
};

export function whereOf(conditions: (string | undefined)[]): string {
  const terms = conditions.filter((condition) => condition !== undefined).map((part) => `(${part})`);
  return terms.length === 0 ? '' : `WHERE ${terms.join(' AND ')}`;
}

/** Returns the topics whose changes can change the matches. */
export const topicsOf = ({ filters }: Pick<IdList, 'filters'>): Topic[] => [
  'library',
  ...(filters.some((f) => f.ofLikes) ? (['likes'] as const) : []),
  ...(filters.some((f) => f.ofFiles) ? (['files'] as const) : []),
];
