// The first of the two steps of every list: the ids of a page, in order, and how many there are in all. (The second, the rows of
// those ids, is track-rows.ts and its siblings.) Filters and orders are pieces of fixed SQL; values are always bound.
import type { UserId } from '../db/ids.ts';
import type { ItemType } from '../db/schema.ts';
import type { Page } from '../http/paging.ts';
import type { Filter } from './filters.ts';
import { createRandomIds } from './random-ids.ts';
import type { ListedOrder, Segment } from './sorts.ts';
import type { Params, Statements } from './statements.ts';

export interface IdList {
  itemType: ItemType;
  userId: UserId;
  filters: Filter[];
  order: ListedOrder;
}

export interface IdPage { ids: number[]; total: number }

export type IdLists = ReturnType<typeof createIdLists>;

type WalkedOrder = Exclude<ListedOrder, { seed: number }>;

const KEEP_TOTALS = 200;

export function createIdLists(statements: Statements) {
  const totals = new Map<string, number>();
  let totalsOf = '';
  const randomIds = createRandomIds(statements);

  function page(list: IdList, { limit, offset }: Page): IdPage {
    const total = count(list);
    if (offset >= total) return { ids: [], total };
    const ids = 'seed' in list.order
      ? randomIds.page({ list: { ...list, where: setWhere(list), params: paramsOf(list) }, seed: list.order.seed, total, limit, offset })
      : ordered(list, list.order, { limit, offset }, total);
    return { ids, total };
  }

  function ordered(list: IdList, { segments, gather }: WalkedOrder, { limit, offset }: Page, total: number): number[] {
    const walk = list.filters.length === 0 || isWalkCheaper(list, offset + limit, total);
    if (!walk) return part(list, gather, list.filters.map(setOf), { limit, offset });

    // Through the segments until the page is full; one is only counted when the page begins beyond it.
    const ids: number[] = [];
    let skip = offset;
    for (const segment of segments) {
      ids.push(...part(list, segment, list.filters.map((f) => f.each), { limit: limit - ids.length, offset: skip }));
      if (ids.length === limit || segment === segments.at(-1)) break;
      skip = ids.length > 0 || skip === 0 ? 0 : skip - countWhere(list, segment.from, segment.where);
    }
    return ids;
  }

  const part = (list: IdList, { from, hint = '', where, orderBy }: Segment, filters: string[], { limit, offset }: Page): number[] =>
    statements.column<number>(
      `SELECT i.id FROM ${from} ${hint} ${conditions([where, ...filters])} ORDER BY ${orderBy} LIMIT @limit OFFSET @offset`,
      { ...paramsOf(list), limit, offset },
    );

  /** Walking the order's index passes `wanted / share of items that fit` rows; gathering what fits and sorting it takes `total`. */
  function isWalkCheaper(list: IdList, wanted: number, total: number): boolean {
    return wanted * countWhere({ ...list, filters: [] }, `${list.itemType}s i`) < total * total;
  }

  const count = (list: IdList): number => countWhere(list, `${list.itemType}s i`);

  function countWhere(list: IdList, from: string, extra?: string): number {
    const sql = `SELECT count(*) FROM ${from} ${conditions([extra, ...list.filters.map(setOf)])}`;
    const params = paramsOf(list);
    const version = statements.version();
    if (version !== totalsOf || totals.size >= KEEP_TOTALS) {
      totals.clear();
      totalsOf = version;
    }
    const key = `${sql} ${JSON.stringify(params)}`;
    let total = totals.get(key);
    if (total === undefined) {
      total = statements.value<number>(sql, params);
      totals.set(key, total);
    }
    return total;
  }

  return { page, count };
}

const setOf = ({ each, set }: Filter): string => (set === undefined ? each : `i.id IN (${set})`);
const setWhere = (list: IdList): string => conditions(list.filters.map(setOf));

function conditions(parts: (string | undefined)[]): string {
  const given = parts.filter((part) => part !== undefined).map((part) => `(${part})`);
  return given.length === 0 ? '' : `WHERE ${given.join(' AND ')}`;
}

const paramsOf = (list: IdList): Params => Object.assign({ userId: list.userId }, ...list.filters.map((f) => f.params ?? {})) as Params;
