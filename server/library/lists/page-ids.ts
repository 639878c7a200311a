// Finds the ids of a page, in order, and the total. (track-rows.ts, album-rows.ts and artist-rows.ts read the rows.)
// SQL either walks the index of the order or gathers and sorts the matches, whichever is estimated to be cheaper. If a
// page is slow either way, the ids of the whole list are read once and kept until its data is written.
import type { Page } from '../../http/paging.ts';
import type { Filter } from './filters.ts';
import { conditionsOf, toIdList, topicsOf, whereOf, type IdList, type NewIdList } from './list-definition.ts';
import { readWholeRandomOrder, readRandomPage, placesToTry } from './random-ids.ts';
import { createResultCache } from './result-cache.ts';
import type { Segment, WalkedOrder } from './sorts.ts';
import type { Statements, Topic } from './statement-cache.ts';
import { bindContext } from '../../runtime/bind-context.ts';

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

const MAX_CACHED_TOTALS = 300;
/** The number of lists whose ids are kept: up to 4 MB each for a million tracks. */
const MAX_CACHED_LISTS = 5;
/** Shorter lists, except random ones, are always read by SQL. */
const MAX_SHORT_LIST = 1_000;
/** Estimated cost per row. */
const SKIPPED_ROW_COST_US = 0.03;
const SEGMENT_ROW_COST_US = 1;
const SORTED_ROW_COST_US = 2;
const RANDOM_TRY_COST_US = 1;
/**
 * A random page may take this many times as long as other cheap pages, because the thread would have to read and sort
 * the whole list.
 */
const RANDOM_PAGE_PATIENCE = 3;
/** When a whole list is read, up to this share of all items is gathered and sorted. */
const MAX_GATHERED_SHARE = 0.1;
const MAX_CHEAP_US = 1_000;

type TotalQuery = [topics: readonly Topic[], key: string, make: () => number];

export function createIdLists(deps: IdListsDeps) {
  const context = createContext(deps);

  return bindContext(context, { noteTotal, versionOf, page, readIfCheap });
}

type Context = ReturnType<typeof createContext>;

function createContext({ statements, cheapUs = MAX_CHEAP_US }: IdListsDeps) {
  const totals = createResultCache<number>(statements, MAX_CACHED_TOTALS);
  const lists = createResultCache<Int32Array>(statements, MAX_CACHED_LISTS);
  return { statements, cheapUs, totals, lists };
}

const page = (context: Context, newList: NewIdList, range: Page): IdPage =>
  context.statements.inSnapshot(() => {
    const list = toIdList(newList);
    const total = count(context, list);
    if (range.offset >= total) return { ids: [], total };
    const [topics, key] = [pageTopicsOf(list), keyOf(list)];
    const cachedIds = context.lists.find(topics, key);
    if (!cachedIds && isCheap(context, list, range, total))
      return { ids: readBySql(context, list, range, total), total };
    const ids = cachedIds ?? context.lists.get(topics, key, () => readAll(context, list, total));
    return { ids: Array.from(ids.subarray(range.offset, range.offset + range.limit)), total };
  });

/** Returns the page if it is estimated to be cheap to read, else undefined. */
function readIfCheap(context: Context, newList: NewIdList, range: Page): IdPage | undefined {
  const list = toIdList(newList);
  const [topics, key] = totalOf(context, list);
  const total = isCounted(list) ? count(context, list) : context.totals.find(topics, key);
  if (total === undefined) return undefined;
  if (range.offset >= total) return { ids: [], total };
  return isCheap(context, list, range, total) ? { ids: readBySql(context, list, range, total), total } : undefined;
}

function isCheap(context: Context, list: IdList, range: Page, total: number): boolean {
  const { order } = list;
  if ('seed' in order) {
    const costUs = placesToTry(context.statements, list, range, total) * RANDOM_TRY_COST_US;
    return costUs <= context.cheapUs * RANDOM_PAGE_PATIENCE;
  }
  const itemCount = countAll(context, list);
  if (itemCount <= MAX_SHORT_LIST) return true;
  const { walkCost, gatherCost } = costsOf({ ...list, order }, range.offset + range.limit, total, itemCount);
  return Math.min(walkCost, gatherCost) <= context.cheapUs;
}

function readBySql(context: Context, list: IdList, range: Page, total: number): number[] {
  const { order } = list;
  if ('seed' in order) return readRandomPage(context.statements, list, order.seed, range, total);
  const { walkCost, gatherCost } = costsOf(
    { ...list, order },
    range.offset + range.limit,
    total,
    countAll(context, list),
  );
  return walkCost <= gatherCost
    ? walk(context, { ...list, order }, range)
    : readSegment(context, list, order.gather, conditionsOf(list.filters), range);
}

/**
 * Reads the ids of the whole list. Many matches are picked from the order of all items: testing each item in that
 * order would read scattered rows. Matches of a negated filter are those that the other filter does not find, which
 * reads fewer rows.
 */
function readAll(context: Context, list: IdList, total: number): Int32Array {
  const { order, filters } = list;
  if ('seed' in order) return readWholeRandomOrder(context.statements, list, order.seed);
  const itemCount = countAll(context, list);
  if (filters.length === 0 || total < itemCount * MAX_GATHERED_SHARE)
    return Int32Array.from(readBySql(context, list, { limit: total, offset: 0 }, total));
  const excludedSets = filters.flatMap(({ negatedFilter }) =>
    negatedFilter ? [readSet(context, list, [negatedFilter])] : [],
  );
  const otherFilters = filters.filter(({ negatedFilter }) => !negatedFilter);
  const matchingIds = otherFilters.length > 0 ? readSet(context, list, otherFilters) : undefined;
  const ids = walk(context, { ...list, order, filters: [] }, { limit: itemCount, offset: 0 });
  return Int32Array.from(
    ids.filter((id) => matchingIds?.has(id) !== false && !excludedSets.some((excludedIds) => excludedIds.has(id))),
  );
}

function readSet(context: Context, { itemType, params }: IdList, filters: readonly Filter[]): Set<number> {
  const matches = `SELECT i.id FROM ${itemType}s i ${whereOf(conditionsOf(filters))}`;
  return new Set(context.statements.column<number>(matches, params));
}

function costsOf(
  { filters, order }: OrderedList,
  rowsToRead: number,
  total: number,
  itemCount: number,
): { walkCost: number; gatherCost: number } {
  if (filters.length === 0)
    return {
      walkCost: rowsToRead * (order.segments.length > 1 ? SEGMENT_ROW_COST_US : SKIPPED_ROW_COST_US),
      gatherCost: Infinity,
    };
  return {
    walkCost: (Math.min(rowsToRead, total) / total) * itemCount * Math.max(...filters.map(({ cost = 1 }) => cost)),
    gatherCost: total * SORTED_ROW_COST_US,
  };
}

/**
 * Reads the ids segment after segment until the page is full. A segment is counted only if the page starts after it.
 */
function walk(context: Context, list: OrderedList, { limit, offset }: Page): number[] {
  const { segments } = list.order;
  let ids: number[] = [];
  let skip = offset;
  for (const segment of segments) {
    const conditions = list.filters.map((f) => f.condition);
    ids = ids.concat(readSegment(context, list, segment, conditions, { limit: limit - ids.length, offset: skip }));
    if (ids.length === limit || segment === segments.at(-1)) break;
    skip =
      ids.length > 0 || skip === 0
        ? 0
        : skip - context.totals.get(...countQuery(context, list, segment.from, segment.where));
  }
  return ids;
}

const readSegment = (
  { statements }: Context,
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

const countAll = (context: Context, { itemType, userId, order }: NewIdList): number =>
  count(context, { itemType, userId, order, filters: [], params: {} });

const count = (context: Context, list: IdList): number => context.totals.get(...totalOf(context, list));

/** Returns whether counting the matches takes no noticeable time. */
const isCounted = ({ filters }: IdList): boolean =>
  filters.length === 0 ||
  filters.some(({ matchesFew }) => matchesFew) ||
  filters.every(({ ofTotals }) => ofTotals !== undefined) ||
  (filters.length === 1 && filters[0]?.isCounted === true);

/** Returns the cache key of a total, and how to compute it. */
function totalOf(context: Context, list: IdList): TotalQuery {
  const {
    filters: [firstFilter, ...otherFilters],
    itemType,
  } = list;
  const totalConditions = list.filters.map((filter) => filter.ofTotals);
  if (itemType === 'track' && !totalConditions.includes(undefined))
    return totalQuery(context, list, `SELECT coalesce(sum(tracks), 0) FROM library_totals ${whereOf(totalConditions)}`);
  const { negatedFilter } = firstFilter ?? {};
  if (negatedFilter && otherFilters.length === 0) {
    const [topics, key] = totalQuery(context, list, firstFilter?.condition ?? '');
    return [
      topics,
      key,
      () => count(context, { ...list, filters: [] }) - count(context, { ...list, filters: [negatedFilter] }),
    ];
  }
  return firstFilter?.count !== undefined && otherFilters.length === 0
    ? totalQuery(context, list, firstFilter.count)
    : countQuery(context, list, `${itemType}s i`);
}

const countQuery = (context: Context, list: IdList, from: string, segment?: string): TotalQuery =>
  totalQuery(context, list, `SELECT count(*) FROM ${from} ${whereOf([segment, ...conditionsOf(list.filters)])}`);

function totalQuery(context: Context, list: IdList, sql: string): TotalQuery {
  const topics = new Set(topicsOf(list));
  if (sql.includes('play_counts')) topics.add('likes').add('plays');
  if (sql.includes('like_states')) topics.add('likes');
  return [
    [...topics],
    `${list.itemType} ${sql} ${JSON.stringify(list.params)}`,
    () => context.statements.value<number>(sql, list.params),
  ];
}

/** Caches a total that the thread computed at that version. */
function noteTotal(context: Context, newList: NewIdList, version: string, total: number): void {
  const [, key] = totalOf(context, toIdList(newList));
  context.totals.put(key, version, total);
}

/** Returns the version under which the total is cached. */
const versionOf = (context: Context, newList: NewIdList): string =>
  context.statements.version(totalOf(context, toIdList(newList))[0]);

/** Returns the topics whose changes can change the pages. */
const pageTopicsOf = (list: IdList): Topic[] => {
  const tables = 'segments' in list.order ? list.order.segments.map(({ userTable }) => userTable) : [];
  const topics = new Set(topicsOf(list));
  if (tables.includes('play_counts')) topics.add('plays');
  if (tables.includes('like_states')) topics.add('likes');
  return [...topics];
};

const keyOf = ({ itemType, userId, order, filters, params }: IdList): string =>
  JSON.stringify([
    itemType,
    userId,
    'seed' in order ? order.seed : order.gather.orderBy,
    filters.map((filter) => filter.condition),
    params,
  ]);
