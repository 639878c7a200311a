// An order of a list as SQL. Each is served by an index of db/schema.ts (a test reads the query plan of every one), so
// that a page costs the same in a library of a hundred and of a million.
import { randomInt } from 'node:crypto';
import type { ItemType } from '../db/schema.ts';

export type Order = 'asc' | 'desc';

/**
 * `columns` of the index that serves it, its last one is the id. `nulls`: the first may be unknown, and unknown comes
 * last both ways; of a `partial` index those are not in it, and come by id.
 */
export type Sort =
  | { index: string; columns: readonly string[]; nulls?: boolean | 'partial' }
  | { played: 'plays' | 'last_played_at' };

/** A part of the list; the list is its segments one after the other. */
export interface Segment {
  from: string;
  /** For `from`: makes SQLite walk the sort's index instead of gathering and sorting. */
  hint?: string;
  where?: string;
  orderBy: string;
  /** Of an order by plays: what the person played, read from play_counts `p`, or the rest by id. */
  played?: 'played' | 'never';
}

const FIRST_DOWN: ReadonlySet<string> = new Set([
  'year',
  'original_year',
  'created_at',
  'play_count',
  'last_played_at',
]);

/** Names ascend, times and counts descend, unless asked otherwise. */
const defaultOrder = (sort: string): Order => (FIRST_DOWN.has(sort) ? 'desc' : 'asc');

export interface ListOrder<S extends string> {
  sort: S;
  order?: Order | undefined;
  /** Of sort `random`; without one every call has an order of its own. */
  seed?: number | undefined;
}

/** `gather` is the same order for when few items fit and are sorted. */
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
  return { segments: segmentsOf(plan, direction, itemType), gather: gathered(plan, direction, itemType) };
}

function segmentsOf(sort: Sort, order: Order, itemType: ItemType): Segment[] {
  const table = `${itemType}s`;
  if ('played' in sort) return playedSegments(sort.played, order, itemType);
  const keys = sort.columns.map((column) => `i.${column} ${order}`);
  const known: Segment = { from: `${table} i`, hint: `INDEXED BY ${sort.index}`, orderBy: keys.join(', ') };
  if (sort.nulls === 'partial') {
    const [first = ''] = sort.columns;
    const unknown: Segment = {
      from: `${table} i`,
      hint: 'NOT INDEXED',
      where: `i.${first} IS NULL`,
      orderBy: `i.id ${order}`,
    };
    return [{ ...known, where: `i.${first} IS NOT NULL` }, unknown];
  }
  return [{ ...known, orderBy: sort.nulls ? [`${keys[0]} NULLS LAST`, ...keys.slice(1)].join(', ') : known.orderBy }];
}

/** The whole order in one piece, for sorting. */
function gathered(sort: Sort, order: Order, itemType: ItemType): Segment {
  if ('played' in sort) return gatheredByPlays(sort.played, order, itemType);
  const [first, ...others] = sort.columns.map((column) => `i.${column} ${order}`);
  const keys = [sort.nulls ? `${first} NULLS LAST` : first, ...others];
  return { from: `${itemType}s i`, hint: '', orderBy: keys.join(', ') };
}

/**
 * What the person played, by the counts kept for them, and apart from it what they never played, by id. Never played
 * counts as zero plays; it has no last time, and such items come last both ways.
 */
function playedSegments(column: 'plays' | 'last_played_at', order: Order, itemType: ItemType): Segment[] {
  const mine = ofUser(itemType);
  const played: Segment = {
    // CROSS: counts outside, in the order of their index
    from: `play_counts p CROSS JOIN ${itemType}s i ON i.id = p.item_id`,
    where: mine,
    orderBy: `p.${column} ${order}, p.item_id ${order}`,
    played: 'played',
  };
  const never: Segment = {
    from: `${itemType}s i`,
    hint: 'NOT INDEXED',
    where: `NOT EXISTS (SELECT 1 FROM play_counts p WHERE ${mine} AND p.item_id = i.id)`,
    orderBy: 'i.id',
    played: 'never',
  };
  return column === 'plays' && order === 'asc' ? [never, played] : [played, never];
}

function gatheredByPlays(column: 'plays' | 'last_played_at', order: Order, itemType: ItemType): Segment {
  const count = column === 'plays' ? 'coalesce(p.plays, 0)' : 'p.last_played_at';
  return {
    from: `${itemType}s i LEFT JOIN play_counts p ON ${ofUser(itemType)} AND p.item_id = i.id`,
    orderBy: `${count} ${order} NULLS LAST, iif(p.plays IS NULL OR '${order}' = 'asc', i.id, -i.id)`,
  };
}

const ofUser = (itemType: ItemType): string => `p.user_id = @userId AND p.item_type = '${itemType}'`;
