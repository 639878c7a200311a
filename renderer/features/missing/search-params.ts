import { MISSING_SORTS, type MissingOrder } from '../../api/missing.ts';

export type MissingSearch = { [K in keyof MissingOrder]: NonNullable<MissingOrder[K]> };

/** The order of the table; anything else is dropped. */
export function parseMissingSearch(input: Record<string, unknown>): MissingSearch {
  const sort = MISSING_SORTS.find((name) => name === input['sort']);
  const order = (['asc', 'desc'] as const).find((name) => name === input['order']);
  return { ...(sort && { sort }), ...(order && { order }) };
}
