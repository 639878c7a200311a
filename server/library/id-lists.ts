// The first of the two steps of every list: the ids of a page, in order, and how many there are in all. (The second, the rows of
// those ids, is track-rows.ts and its siblings.) Pages near the beginning come from SQL: it walks the order's index, or gathers what
// fits and sorts it, whichever takes less. Deep pages, and filters that leave neither way short, are looked up in memory: all ids in order
// (id-orders.ts), a bit for each that fits (id-sets.ts).
import type { Sqlite } from '../db/client.ts';
import type { Page } from '../http/paging.ts';
import { setOf, toIdList, topicsOf, whereOf, type IdList, type NewIdList } from './id-list.ts';
import { createIdOrders } from './id-orders.ts';
import { createIdSets, type IdSet } from './id-sets.ts';
import { createKept } from './kept.ts';
import { createRandomIds } from './random-ids.ts';
import type { Segment, WalkedOrder } from './sorts.ts';
import type { Statements, Topic } from './statements.ts';

export interface IdPage { ids: number[]; total: number }

export type IdLists = ReturnType<typeof createIdLists>;

export interface IdListsDeps {
  client: Sqlite;
  statements: Statements;
  /** How long nothing is written before orders are read ahead. */
  quietMs?: number;
  /** A page that SQL reads in so little time needs nothing else, in microseconds. */
  cheapUs?: number;
}

const KEEP_TOTALS = 300;
/** Lists with filters whose ids are kept in order, up to 4 MB each. */
const KEEP_PICKED = 3;
/** Lists shorter than this need nothing in memory. */
const SHORT = 1_000;
/** What ways to a page cost for each row, in microseconds: where filters make a walk look at rows, `cost` of them says how much. */
const PASSED = 0.03;
const SEGMENTED = 1;
const GATHERED = 2;
const READ = 0.15;
const CHEAP_US = 1_000;

export function createIdLists({ client, statements, cheapUs = CHEAP_US, ...deps }: IdListsDeps) {
  const totals = createKept<number>(statements, KEEP_TOTALS);
  const picked = createKept<Int32Array>(statements, KEEP_PICKED);
  const sets = createIdSets(statements);
  const orders = createIdOrders({ client, statements, ...deps });
  const randomIds = createRandomIds(statements, sets);

  function page(asked: NewIdList, { limit, offset }: Page): IdPage {
    const list = toIdList(asked);
    const total = count(list);
    if (offset >= total) return { ids: [], total };
    const { order } = list;
    const ids = 'seed' in order ? randomIds.page(list, { seed: order.seed, total, limit, offset }) : ordered({ ...list, order }, { limit, offset }, total);
    return { ids, total };
  }

  function ordered(list: IdList & { order: WalkedOrder }, page: Page, total: number): number[] {
    const wanted = page.offset + page.limit;
    const all = count({ ...list, filters: [] });
    const isAll = list.filters.length === 0;
    const walked = isAll ? wanted * (list.order.segments.length > 1 ? SEGMENTED : PASSED) : (Math.min(wanted, total) / total) * all * Math.max(...list.filters.map(({ cost = 1 }) => cost));
    const gathered = isAll ? Infinity : total * GATHERED;
    if (all > SHORT && Math.min(walked, gathered) > cheapUs) {
      const found = inMemory(list, page, { total, all, least: Math.min(walked, gathered) });
      if (found) return found;
    }
    if (all > SHORT) orders.readAhead(list);
    return walked <= gathered ? walk(list, page) : part(list, list.order.gather, list.filters.map(setOf), page);
  }

  /** Undefined when SQL is quicker, because too much had to be read first. */
  function inMemory(list: IdList & { order: WalkedOrder }, page: Page, { total, all, least }: { total: number; all: number; least: number }): number[] | undefined {
    const isKnown = { order: orders.find(list) !== undefined, set: list.filters.length === 0 || sets.isKnown(list) };
    if ((isKnown.order ? 0 : all * READ) + (isKnown.set ? 0 : total * READ) > least) return undefined;
    const ids = list.filters.length === 0 ? orders.get(list) : picked.get(orders.topicsOf(list).concat(topicsOf(list)), keyOf(list), () => pick(orders.get(list), sets.of(list), total));
    return Array.from(ids.subarray(page.offset, page.offset + page.limit));
  }

  /** Through the segments until the page is full; one is only counted when the page begins beyond it. */
  function walk(list: IdList & { order: WalkedOrder }, { limit, offset }: Page): number[] {
    const { segments } = list.order;
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
    statements.column<number>(`SELECT i.id FROM ${from} ${hint} ${whereOf([where, ...filters])} ORDER BY ${orderBy} LIMIT @limit OFFSET @offset`, { ...list.params, limit, offset });

  function count(list: IdList): number {
    const { filters: [only, ...others], itemType } = list;
    const ofTotals = list.filters.map((filter) => filter.ofTotals);
    if (itemType === 'track' && !ofTotals.includes(undefined)) return statements.value<number>(`SELECT coalesce(sum(tracks), 0) FROM library_totals ${whereOf(ofTotals)}`, list.params);
    if (only?.not && others.length === 0) return count({ ...list, filters: [] }) - count({ ...list, filters: [only.not] });
    return only?.count !== undefined && others.length === 0 ? counted(list, only.count) : countWhere(list, `${itemType}s i`);
  }

  const countWhere = (list: IdList, from: string, segment?: string): number => counted(list, `SELECT count(*) FROM ${from} ${whereOf([segment, ...list.filters.map(setOf)])}`);

  function counted(list: IdList, sql: string): number {
    const topics: Topic[] = sql.includes('play_counts') ? ['library', 'likes', 'plays'] : topicsOf(list);
    return totals.get(topics, `${sql} ${JSON.stringify(list.params)}`, () => statements.value<number>(sql, list.params));
  }

  return { page, count: (list: NewIdList): number => count(toIdList(list)), settled: orders.settled };
}

const keyOf = ({ itemType, userId, order, filters, params }: IdList & { order: WalkedOrder }): string =>
  JSON.stringify([itemType, userId, order.gather.orderBy, filters.map((filter) => filter.each), params]);

/** Those ids that are in the set. */
function pick(ids: Int32Array, { bits }: IdSet, total: number): Int32Array {
  const found = new Int32Array(total);
  let at = 0;
  for (const id of ids) if (((bits[id >>> 5] ?? 0) & (1 << (id & 31))) !== 0) found[at++] = id;
  return found.subarray(0, at);
}
