// Finds the ids of a page, in order, and the total. (track-rows.ts, album-rows.ts and artist-rows.ts read the rows.)
// SQL either walks the index of the order or gathers and sorts the matches, whichever is estimated to be cheaper. Where
// a page is slow either way, the ids of the whole list are read once and kept until something of it is written.
import type { Page } from '../http/paging.ts';
import { conditionsOf, toIdList, topicsOf, whereOf, type IdList, type NewIdList } from './list-definition.ts';
import { allByChance, pageByChance, placesToTry } from './random-ids.ts';
import { createResultCache } from './result-cache.ts';
import type { Segment, WalkedOrder } from './sorts.ts';
import type { Statements, Topic } from './statement-cache.ts';

export interface IdPage {
  ids: number[];
  total: number;
}

interface IdListsDeps {
  statements: Statements;
  /** A page that SQL is estimated to read in this time, in µs, is read by SQL. */
  cheapUs?: number;
}

type OrderedList = IdList & { order: WalkedOrder };

const KEEP_TOTALS = 300;
/** Lists whose ids are kept: up to 4 MB each for a million tracks. */
const KEEP_LISTS = 5;
/** Shorter lists, but random ones, are always read by SQL. */
const SHORT = 1_000;
/** Estimated µs per row: skipped on an index, skipped across segments, collected and sorted, tried by chance. */
const PASSED = 0.03;
const SEGMENTED = 1;
const GATHERED = 2;
const TRIED = 1;
/** Part of all items up to which the matches are gathered and sorted when a whole list is read. */
const FEW = 0.1;
const CHEAP_US = 1_000;

export function createIdLists({ statements, cheapUs = CHEAP_US }: IdListsDeps) {
  const totals = createResultCache<number>(statements, KEEP_TOTALS);
  const lists = createResultCache<Int32Array>(statements, KEEP_LISTS);

  const page = (asked: NewIdList, at: Page): IdPage =>
    statements.atOnce(() => {
      const list = toIdList(asked);
      const total = count(list);
      if (at.offset >= total) return { ids: [], total };
      const [topics, key] = [pageTopicsOf(list), keyOf(list)];
      const known = lists.find(topics, key);
      if (!known && isCheap(list, at, total)) return { ids: read(list, at, total), total };
      const ids = known ?? lists.get(topics, key, () => readAll(list, total));
      return { ids: Array.from(ids.subarray(at.offset, at.offset + at.limit)), total };
    });

  /** The page, if the estimate says that it is cheap to read. */
  function near(asked: NewIdList, at: Page): IdPage | undefined {
    const list = toIdList(asked);
    const [topics, key] = totalOf(list);
    const total = isCounted(list) ? count(list) : totals.find(topics, key);
    if (total === undefined) return undefined;
    if (at.offset >= total) return { ids: [], total };
    return isCheap(list, at, total) ? { ids: read(list, at, total), total } : undefined;
  }

  function isCheap(list: IdList, at: Page, total: number): boolean {
    const { order } = list;
    if ('seed' in order) return placesToTry(statements, list, at, total) * TRIED <= cheapUs;
    const all = countAll(list);
    if (all <= SHORT) return true;
    const { walked, gathered } = costsOf({ ...list, order }, at.offset + at.limit, total, all);
    return Math.min(walked, gathered) <= cheapUs;
  }

  function read(list: IdList, at: Page, total: number): number[] {
    const { order } = list;
    if ('seed' in order) return pageByChance(statements, list, order.seed, at, total);
    const { walked, gathered } = costsOf({ ...list, order }, at.offset + at.limit, total, countAll(list));
    return walked <= gathered ? walk({ ...list, order }, at) : part(list, order.gather, conditionsOf(list.filters), at);
  }

  /** Many matches are taken from the order of all items, since testing each in that order reads its row from afar. */
  function readAll(list: IdList, total: number): Int32Array {
    const { order, itemType, filters } = list;
    if ('seed' in order) return allByChance(statements, list, order.seed);
    const all = countAll(list);
    if (filters.length === 0 || total < all * FEW)
      return Int32Array.from(read(list, { limit: total, offset: 0 }, total));
    const matches = `SELECT i.id FROM ${itemType}s i ${whereOf(conditionsOf(filters))}`;
    const matching = new Set(statements.column<number>(matches, list.params));
    const ids = walk({ ...list, order, filters: [] }, { limit: all, offset: 0 });
    return Int32Array.from(ids.filter((id) => matching.has(id)));
  }

  function costsOf(
    { filters, order }: OrderedList,
    wanted: number,
    total: number,
    all: number,
  ): { walked: number; gathered: number } {
    if (filters.length === 0)
      return { walked: wanted * (order.segments.length > 1 ? SEGMENTED : PASSED), gathered: Infinity };
    return {
      walked: (Math.min(wanted, total) / total) * all * Math.max(...filters.map(({ cost = 1 }) => cost)),
      gathered: total * GATHERED,
    };
  }

  /** Reads segment after segment until the page is full. A segment is counted only if the page starts after it. */
  function walk(list: OrderedList, { limit, offset }: Page): number[] {
    const { segments } = list.order;
    let ids: number[] = [];
    let skip = offset;
    for (const segment of segments) {
      const conditions = list.filters.map((f) => f.each);
      ids = ids.concat(part(list, segment, conditions, { limit: limit - ids.length, offset: skip }));
      if (ids.length === limit || segment === segments.at(-1)) break;
      skip = ids.length > 0 || skip === 0 ? 0 : skip - totals.get(...sumOf(list, segment.from, segment.where));
    }
    return ids;
  }

  const part = (
    list: IdList,
    { from, hint = '', where, orderBy }: Segment,
    filters: string[],
    { limit, offset }: Page,
  ): number[] =>
    statements.column<number>(
      `SELECT i.id FROM ${from} ${hint} ${whereOf([where, ...filters])} ORDER BY ${orderBy}
        LIMIT +@limit OFFSET +@offset`,
      { ...list.params, limit, offset },
    );

  const countAll = ({ itemType, userId, order }: NewIdList): number =>
    count({ itemType, userId, order, filters: [], params: {} });

  const count = (list: IdList): number => totals.get(...totalOf(list));

  /** Counting takes no noticeable time. */
  const isCounted = ({ filters }: IdList): boolean =>
    filters.length === 0 ||
    filters.some(({ few }) => few) ||
    filters.every(({ ofTotals }) => ofTotals !== undefined) ||
    (filters.length === 1 && filters[0]?.isCounted === true);

  type Total = [topics: readonly Topic[], key: string, make: () => number];

  /** Cache key of a total, and how it is computed. */
  function totalOf(list: IdList): Total {
    const {
      filters: [only, ...others],
      itemType,
    } = list;
    const ofTotals = list.filters.map((filter) => filter.ofTotals);
    if (itemType === 'track' && !ofTotals.includes(undefined))
      return value(list, `SELECT coalesce(sum(tracks), 0) FROM library_totals ${whereOf(ofTotals)}`);
    const { not } = only ?? {};
    if (not && others.length === 0) {
      const [topics, key] = value(list, only?.each ?? '');
      return [topics, key, () => count({ ...list, filters: [] }) - count({ ...list, filters: [not] })];
    }
    return only?.count !== undefined && others.length === 0 ? value(list, only.count) : sumOf(list, `${itemType}s i`);
  }

  const sumOf = (list: IdList, from: string, segment?: string): Total =>
    value(list, `SELECT count(*) FROM ${from} ${whereOf([segment, ...conditionsOf(list.filters)])}`);

  function value(list: IdList, sql: string): Total {
    const topics: Topic[] = sql.includes('play_counts') ? [...topicsOf(list), 'likes', 'plays'] : topicsOf(list);
    return [
      topics,
      `${list.itemType} ${sql} ${JSON.stringify(list.params)}`,
      () => statements.value<number>(sql, list.params),
    ];
  }

  return {
    page,
    near,
    /** Caches a total that the thread computed at that version. */
    noteTotal(asked: NewIdList, version: string, total: number): void {
      const [, key] = totalOf(toIdList(asked));
      totals.put(key, version, total);
    },
    /** Version under which the total is cached. */
    versionOf: (asked: NewIdList): string => statements.version(totalOf(toIdList(asked))[0]),
  };
}

/** Topics whose changes can change the pages. */
const pageTopicsOf = (list: IdList): Topic[] => {
  const isByPlays = 'segments' in list.order && list.order.segments.some(({ played }) => played);
  return isByPlays ? [...topicsOf(list), 'plays'] : topicsOf(list);
};

const keyOf = ({ itemType, userId, order, filters, params }: IdList): string =>
  JSON.stringify([
    itemType,
    userId,
    'seed' in order ? order.seed : order.gather.orderBy,
    filters.map((filter) => filter.each),
    params,
  ]);
