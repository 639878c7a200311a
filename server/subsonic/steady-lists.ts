// Keeps lists steady that clients read page by page, by offset. Rows that are added or deleted between two pages must
// not shift other rows across the edge of a page, so rows that were sent keep their position: the ids of the first page
// are remembered, and with the second page those of the rest of the list. Deleted rows leave no gaps, because clients
// take a short page for the end.
import { hash } from 'node:crypto';
import type { Page } from '../http/paging.ts';
import type { Call } from './endpoint.ts';

/** A page of a list, and the total if it is known. */
export interface IdPage {
  ids: readonly number[];
  total?: number;
}

interface CachedList {
  /** All ids of the list, or only those of the first page. */
  ids: Int32Array;
  isComplete: boolean;
  /** Ids before this position keep their place. */
  fixedCount: number;
  /** True if the first page was sent, so that the next request for it starts a new copy. */
  isFirstPageSent: boolean;
  usedAt: number;
}

export interface ListSource {
  /** Identifies the user, the app and the list. */
  key: string;
  read: (page: Page) => Promise<IdPage>;
  /** Returns the ids that still exist, in order. */
  filterExisting: (ids: readonly number[]) => number[];
}

const MAX_UNUSED_MS = 5 * 60_000;
/** How long the first page may be requested late, by clients that read several pages in parallel. */
const PARALLEL_READ_MS = 10_000;
/** Maximum number of cached ids, of four bytes each. */
const MAX_CACHED_IDS = 2_000_000;
/** Maximum number of cached lists, since clients choose their own names and may request any list. */
const MAX_CACHED_LISTS = 1_000;
const ALL: Page = { limit: 10_000_000, offset: 0 };

export type SteadyLists = ReturnType<typeof createSteadyLists>;

export function createSteadyLists({ now = () => performance.now() }: { now?: () => number } = {}) {
  /** Cached lists by key; the most recently used are at the end. */
  const lists = new Map<string, CachedList>();
  const runningReads = new Map<string, Promise<undefined>>();
  let clearTimer: NodeJS.Timeout | undefined;

  function cacheList(key: string, list: CachedList): void {
    lists.delete(key);
    lists.set(key, list);
    let idCount = [...lists.values()].reduce((sum, { ids }) => sum + ids.length, 0);
    for (const [cachedKey, { ids, usedAt }] of lists) {
      if (idCount <= MAX_CACHED_IDS && lists.size <= MAX_CACHED_LISTS && now() - usedAt < MAX_UNUSED_MS) break;
      lists.delete(cachedKey);
      idCount -= ids.length;
    }
    clearTimeout(clearTimer);
    clearTimer = setTimeout(() => lists.clear(), MAX_UNUSED_MS).unref();
  }

  async function readWholeList(cached: CachedList | undefined, { read }: ListSource): Promise<CachedList> {
    const complete = await read(ALL);
    const firstIds = cached?.ids ?? new Int32Array();
    const firstIdSet = new Set(firstIds);
    const ids = Int32Array.from([...firstIds, ...complete.ids.filter((id) => !firstIdSet.has(id))]);
    return { ids, isComplete: true, fixedCount: firstIds.length, isFirstPageSent: cached !== undefined, usedAt: now() };
  }

  async function page(source: ListSource, { limit, offset }: Page): Promise<IdPage> {
    const { key, read, filterExisting } = source;
    const entry = lists.get(key);
    const cached = entry && now() - entry.usedAt < MAX_UNUSED_MS ? entry : undefined;
    const isParallelRead = cached?.isFirstPageSent === false && now() - cached.usedAt < PARALLEL_READ_MS;
    if (limit === 0) return read({ limit, offset }); // the limit is 0 for a search that excludes this kind
    if (offset === 0 && !isParallelRead) {
      const firstPage = await read({ limit, offset });
      const ids = Int32Array.from(firstPage.ids);
      if (ids.length === limit)
        cacheList(key, { ids, isComplete: false, fixedCount: limit, isFirstPageSent: true, usedAt: now() });
      else lists.delete(key);
      return firstPage;
    }
    const list = cached?.isComplete ? cached : await readWholeList(cached, source);
    const end = offset + limit;
    for (;;) {
      const pageIds = [...list.ids.subarray(offset, end)];
      const existingIds = filterExisting(pageIds);
      const existingIdSet = new Set(existingIds);
      const deletedIds = new Set(pageIds.filter((id) => !existingIdSet.has(id)));
      const fixedCount = list.fixedCount;
      const isStaying = (id: number, index: number): boolean => index < fixedCount || !deletedIds.has(id);
      const ids = deletedIds.size === 0 ? list.ids : list.ids.filter(isStaying);
      if (ids.length === list.ids.length) {
        list.fixedCount = Math.max(list.fixedCount, Math.min(end, ids.length));
        list.isFirstPageSent ||= offset === 0;
        list.usedAt = now();
        cacheList(key, list);
        return { ids: existingIds, total: list.ids.length };
      }
      list.ids = ids;
    }
  }

  return {
    /** Reads the pages of a list one after the other, in the order of the requests. */
    page(source: ListSource, pageRequest: Page): Promise<IdPage> {
      const { key } = source;
      const answer = (runningReads.get(key) ?? Promise.resolve()).then(() => page(source, pageRequest));
      const whenDone = answer.then(
        () => undefined,
        () => undefined, // the caller gets the error
      );
      runningReads.set(key, whenDone);
      void whenDone.then(() => runningReads.get(key) === whenDone && runningReads.delete(key));
      return answer;
    },
  };
}

/** Returns a hash of the caller and these parameters; two phones of a person have different addresses. */
export const keyOf = ({ user, req, client, params }: Call, name: string, paramNames: readonly string[]): string =>
  hash('sha256', JSON.stringify([user.id, req.ip, client, name, ...paramNames.map((param) => params.text(param))]));
