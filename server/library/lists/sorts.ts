// The orders of lists as SQL. Each is served by an index of db/schema.ts (a test checks the query plans), so that a
// page takes the same time at any library size.
import { randomInt } from 'node:crypto';
import { albumPlace } from '../../db/album-place.ts';
import type { ItemType } from '../../db/schema.ts';

type Order = 'asc' | 'desc';

/** Placeholder for albumPlace() among the columns of an order. */
export const ALBUM_PLACE = 'place in the album';
const sqlOf = (column: string): string => (column === ALBUM_PLACE ? albumPlace('i') : `i.${column}`);

/**
 * `columns` are those of the index, ending with the id. `nulls`: the first column is nullable, and NULLs come last in
 * both directions; `partial`: the index has no NULLs, so rows with NULL come in the order of their ids.
 */
export type Sort =
  | { index: string; columns: readonly string[]; nulls?: boolean | 'partial' }
  | { userValue: UserValue };

type UserValue = 'plays' | 'lastPlayedAt' | 'rating';

/** Values of each user that lists are sorted by. `condition` selects the rows that have a value. */
const USER_VALUES = {
  plays: { table: 'play_counts', column: 'plays', condition: '', isZeroWithoutRow: true },
  lastPlayedAt: {
    table: 'play_counts',
    column: 'last_played_at',
    condition: ' AND p.last_played_at > 0',
    isZeroWithoutRow: false,
  },
  rating: { table: 'like_states', column: 'rating', condition: ' AND p.rating > 0', isZeroWithoutRow: true },
} as const satisfies Record<UserValue, object>;

/** A part of an order; the order is the concatenation of its segments. */
export interface Segment {
  from: string;
  /** `INDEXED BY` clause that makes SQLite walk the sort's index instead of sorting. */
  hint?: string;
  where?: string;
  orderBy: string;
  /** The table with a row `p` of the user for each item of the segment. */
  userTable?: 'play_counts' | 'like_states';
}

const DESCENDING_SORTS: ReadonlySet<string> = new Set([
  'year',
  'original_year',
  'created_at',
  'play_count',
  'last_played_at',
  'rating',
]);

/** Returns the default direction: names ascend; years, times, counts and ratings descend. */
const defaultOrder = (sort: string): Order => (DESCENDING_SORTS.has(sort) ? 'desc' : 'asc');

export interface ListOrder<S extends string> {
  sort: S;
  order?: Order | undefined;
  /** Seed of the sort `random`; without a seed, every call has a different order. */
  seed?: number | undefined;
}

/** An order that SQL can walk. `gather` is the same order in one query, for sorting a few matches. */
export interface WalkedOrder {
  segments: Segment[];
  gather: Segment;
}
export type ListedOrder = WalkedOrder | { seed: number };

export function orderOf<S extends string>(
  itemType: ItemType,
  plans: Record<Exclude<S, 'random'>, Sort>,
  { sort, order, seed }: ListOrder<S>,
): ListedOrder {
  if (sort === 'random') return { seed: seed ?? randomInt(2 ** 32) };
  const plan = plans[sort as Exclude<S, 'random'>];
  const direction = order ?? defaultOrder(sort);
  return { segments: segmentsOf(plan, direction, itemType), gather: gatheredSegment(plan, direction, itemType) };
}

function segmentsOf(sort: Sort, order: Order, itemType: ItemType): Segment[] {
  const table = `${itemType}s`;
  if ('userValue' in sort) return userValueSegments(sort.userValue, order, itemType);
  const keys = sort.columns.map((column) => `${sqlOf(column)} ${order}`);
  const valuesSegment: Segment = { from: `${table} i`, hint: `INDEXED BY ${sort.index}`, orderBy: keys.join(', ') };
  if (sort.nulls === 'partial') {
    const [firstColumn = ''] = sort.columns;
    const nullsSegment: Segment = {
      from: `${table} i`,
      hint: 'NOT INDEXED',
      where: `i.${firstColumn} IS NULL`,
      orderBy: `i.id ${order}`,
    };
    return [{ ...valuesSegment, where: `i.${firstColumn} IS NOT NULL` }, nullsSegment];
  }
  return [
    {
      ...valuesSegment,
      orderBy: sort.nulls ? [`${keys[0]} NULLS LAST`, ...keys.slice(1)].join(', ') : valuesSegment.orderBy,
    },
  ];
}

function gatheredSegment(sort: Sort, order: Order, itemType: ItemType): Segment {
  if ('userValue' in sort) return gatheredSegmentByUserValue(sort.userValue, order, itemType);
  const [firstTerm, ...otherTerms] = sort.columns.map((column) => `${sqlOf(column)} ${order}`);
  const keys = [sort.nulls ? `${firstTerm} NULLS LAST` : firstTerm, ...otherTerms];
  return { from: `${itemType}s i`, hint: '', orderBy: keys.join(', ') };
}

/**
 * Returns the segments for orders by plays or ratings: first the items with a row of the user, then the others by id.
 * The latter count as zero plays or no rating; without a last time, they come last in both directions.
 */
function userValueSegments(name: UserValue, order: Order, itemType: ItemType): Segment[] {
  const { table, column, condition, isZeroWithoutRow } = USER_VALUES[name];
  const userRows = `${ofUser(itemType)}${condition}`;
  const valuesSegment: Segment = {
    // CROSS JOIN makes the user's rows the outer loop, in the order of their index
    from: `${table} p CROSS JOIN ${itemType}s i ON i.id = p.item_id`,
    where: userRows,
    orderBy: `p.${column} ${order}, p.item_id ${order}`,
    userTable: table,
  };
  const otherItemsSegment: Segment = {
    from: `${itemType}s i`,
    hint: 'NOT INDEXED',
    where: `NOT EXISTS (SELECT 1 FROM ${table} p WHERE ${userRows} AND p.item_id = i.id)`,
    orderBy: 'i.id',
  };
  return isZeroWithoutRow && order === 'asc' ? [otherItemsSegment, valuesSegment] : [valuesSegment, otherItemsSegment];
}

function gatheredSegmentByUserValue(name: UserValue, order: Order, itemType: ItemType): Segment {
  const { table, column, condition, isZeroWithoutRow } = USER_VALUES[name];
  const value = isZeroWithoutRow ? `coalesce(p.${column}, 0)` : `p.${column}`;
  return {
    from: `${itemType}s i LEFT JOIN ${table} p ON ${ofUser(itemType)}${condition} AND p.item_id = i.id`,
    orderBy: `${value} ${order} NULLS LAST, iif(p.item_id IS NULL OR '${order}' = 'asc', i.id, -i.id)`,
  };
}

const ofUser = (itemType: ItemType): string => `p.user_id = @userId AND p.item_type = '${itemType}'`;
