// Finds the ids of a page, in order, and the total. (track-rows.ts, album-rows.ts and artist-rows.ts read the rows.)
// Pages near the start come from SQL, which either walks the sort's index or collects and sorts the matches, whichever
// is estimated to be cheaper. Deep pages, and filters for which both are slow, are answered from memory: all ids in
// order (sorted-ids.ts) and a bit per match (filter-matches.ts). Slow queries run in a thread of their own
// (listing.ts).
import type { Sqlite } from '../db/client.ts';
import type { Page } from '../http/paging.ts';
import { conditionsOf, toIdList, topicsOf, whereOf, type IdList, type NewIdList } from './list-definition.ts';
import { createIdOrders } from './sorted-ids.ts';
import { createIdSets, type IdSet } from './filter-matches.ts';
import { changedOf, mendedOrder, MOST } from './mending.ts';
import { createResultCache } from './result-cache.ts';
import { createRandomIds } from './random-ids.ts';
import type { Segment, WalkedOrder } from './sorts.ts';
import type { Statements, Topic } from './statement-cache.ts';

export interface IdPage {
  ids: number[];
  total: number;
}

interface IdListsDeps {
  client: Sqlite;
  statements: Statements;
  /** Time without writes, in ms, before orders are read ahead. */
  quietMs?: number;
  /** A page that SQL is estimated to read in this time, in µs, is read by SQL. */
  cheapUs?: number;
}

type OrderedList = IdList & { order: WalkedOrder };

const KEEP_TOTALS = 300;
/** Pages of ids, for paging back. */
const KEEP_PAGES = 200;
/** Filtered lists whose ids are kept in order: up to 4 MB each for a million tracks. */
const KEEP_PICKED = 3;
/** Shorter lists are always read by SQL. */
const SHORT = 1_000;
/** Estimated µs per row: skipped on an index, skipped across segments, collected and sorted, read into memory. */
const PASSED = 0.03;
const SEGMENTED = 1;
const GATHERED = 2;
const READ = 0.15;
const CHEAP_US = 1_000;

export function createIdLists({ client, statements, cheapUs = CHEAP_US, ...deps }: IdListsDeps) {
  const pages = createResultCache<IdPage>(statements, KEEP_PAGES);
  const totals = createResultCache<number>(statements, KEEP_TOTALS);
  const picked = createResultCache<Int32Array>(statements, KEEP_PICKED);
  const sets = createIdSets(statements);
  const orders = createIdOrders({ client, statements, ...deps });
  const randomIds = createRandomIds(statements, sets);

  const page = (asked: NewIdList, at: Page): IdPage => statements.atOnce(() => pageAtOnce(asked, at));

  function pageAtOnce(asked: NewIdList, at: Page): IdPage {
    const list = toIdList(asked);
    const { order } = list;
    if ('seed' in order) return read(list, at);
    const ordered = { ...list, order };
    return pages.get(
      [...orders.topicsOf(ordered), ...topicsOf(list)],
      `${keyOf(ordered)} ${at.offset} ${at.limit}`,
      () => read(list, at),
    );
  }

  function read(list: IdList, { limit, offset }: Page): IdPage {
    const total = count(list);
    if (offset >= total) return { ids: [], total };
    const { order } = list;
    const ids =
      'seed' in order
        ? randomIds.page(list, { seed: order.seed, total, limit, offset })
        : ordered({ ...list, order }, { limit, offset }, total);
    return { ids, total };
  }

  function ordered(list: OrderedList, page: Page, total: number): number[] {
    const all = countAll(list);
    const { walked, gathered } = costsOf(list, page.offset + page.limit, total, all);
    if (all > SHORT && Math.min(walked, gathered) > cheapUs) {
      const found = inMemory(list, page, { total, all, least: Math.min(walked, gathered) });
      if (found) return found;
    }
    readAhead(list);
    return bySql(list, page, total, all);
  }

  function bySql(list: OrderedList, page: Page, total: number, all: number): number[] {
    const { walked, gathered } = costsOf(list, page.offset + page.limit, total, all);
    return walked <= gathered ? walk(list, page) : part(list, list.order.gather, conditionsOf(list.filters), page);
  }

  /** The page, if the estimate says that it is cheap to read. */
  function near(asked: NewIdList, { limit, offset }: Page): IdPage | undefined {
    const list = toIdList(asked);
    const total = isCounted(list) ? count(list) : totals.find(totalOf(list)[0], totalOf(list)[1]);
    if (total === undefined) return undefined;
    if (offset >= total) return { ids: [], total };
    const { order } = list;
    const all = countAll(list);
    if ('seed' in order) return Math.min(total, all) <= SHORT ? page(asked, { limit, offset }) : undefined;
    const { walked, gathered } = costsOf({ ...list, order }, offset + limit, total, all);
    return all <= SHORT || Math.min(walked, gathered) <= cheapUs
      ? { ids: bySql({ ...list, order }, { limit, offset }, total, all), total }
      : undefined;
  }

  /** True if some page of the list is not cheap. */
  function isLong(asked: NewIdList, total: number): boolean {
    const list = toIdList(asked);
    const { order } = list;
    if ('seed' in order) return false;
    const { walked, gathered } = costsOf({ ...list, order }, total, total, countAll(list));
    return total > SHORT && Math.min(walked, gathered) > cheapUs;
  }

  function readAhead(asked: NewIdList): void {
    const { itemType, userId, order } = asked;
    if ('segments' in order && countAll(asked) > SHORT) orders.readAhead({ itemType, userId, order });
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

  /** Undefined if reading into memory first would take longer than SQL. */
  function inMemory(
    list: OrderedList,
    { limit, offset }: Page,
    { total, all, least }: { total: number; all: number; least: number },
  ): number[] | undefined {
    const isPlain = list.filters.length === 0;
    let ids = isPlain ? orders.find(list) : findPicked(list);
    if (!ids) {
      const isKnown = { order: !isPlain && orders.find(list) !== undefined, set: isPlain || sets.isKnown(list) };
      if ((isKnown.order ? 0 : all * READ) + (isKnown.set ? 0 : total * READ) > least) return undefined;
      ids = isPlain
        ? orders.get(list)
        : picked.get(pickedTopics(list), keyOf(list), () => pick(orders.get(list), sets.of(list), total));
    }
    return Array.from(ids.subarray(offset, offset + limit));
  }

  const pickedTopics = (list: OrderedList): Topic[] => [...orders.topicsOf(list), ...topicsOf(list)];
  const findPicked = (list: OrderedList): Int32Array | undefined =>
    picked.find(pickedTopics(list), keyOf(list), (kept, changes) => {
      const changed = changedOf(statements, list, changes);
      return changed && mendedOrder(statements, list, kept, changed);
    });

  /** Reads segment after segment until the page is full. A segment is counted only if the page starts after it. */
  function walk(list: OrderedList, { limit, offset }: Page): number[] {
    const { segments } = list.order;
    const ids: number[] = [];
    let skip = offset;
    for (const segment of segments) {
      ids.push(
        ...part(
          list,
          segment,
          list.filters.map((f) => f.each),
          { limit: limit - ids.length, offset: skip },
        ),
      );
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

  function count(list: IdList): number {
    const [topics, key, make] = totalOf(list);
    if (isCounted(list)) return totals.get(topics, key, make);
    // Asked for again after a write, but not while a scan writes: from now on the sets are mended, and counted.
    const isBySets = () => sets.isKnown(list) || totals.isNearlyKnown(topics, key, MOST);
    return totals.get(topics, key, () => (isBySets() ? sets.of(list).size() : make()));
  }

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
    isLong,
    readAhead,
    /** Caches a total that the thread computed at that version. */
    noteTotal(asked: NewIdList, version: string, total: number): void {
      const [, key] = totalOf(toIdList(asked));
      totals.put(key, version, total);
    },
    /** Version under which the total is cached. */
    versionOf: (asked: NewIdList): string => statements.version(totalOf(toIdList(asked))[0]),
    count: (list: NewIdList): number => count(toIdList(list)),
    settled: orders.settled,
  };
}

const keyOf = ({ itemType, userId, order, filters, params }: OrderedList): string =>
  JSON.stringify([itemType, userId, order.gather.orderBy, filters.map((filter) => filter.each), params]);

/** The ids that are in the set. */
function pick(ids: Int32Array, { bits }: IdSet, total: number): Int32Array {
  const found = new Int32Array(total);
  let at = 0;
  for (const id of ids) if (((bits[id >>> 5] ?? 0) & (1 << (id & 31))) !== 0) found[at++] = id;
  return found.subarray(0, at);
}
