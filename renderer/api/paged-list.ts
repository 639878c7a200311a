// A list of any length, held as a window of pages: pages on screen are fetched first, then their neighbours, and
// distant pages are dropped. So a list of 80,000 albums or a million tracks costs what a few screenfuls cost. Rows of
// pages that are not loaded are undefined and drawn as skeletons.
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { MAX_SELECTED_ROWS } from '../ui/lists/selection.ts';
import type { PageAt, PageOptions } from './library.ts';
import { nearestFirst, PAGE_SIZE, pageOf, pagesOf, directionTo, type View } from './pages-ahead.ts';

/** Number of pages kept before and after those on screen. */
const KEPT_PAGES = 12;
/** While the scroll bar is dragged, pages are fetched at most this often, so that few pages are fetched in passing. */
const LEAP_MS = 60;
/**
 * While the pages on screen are still loading, the next pages are requested only after this time, because the server
 * answers requests in order and would delay the pages that are finally needed. On a slow server, earlier requests would
 * cancel each other, so that nothing is displayed during a drag.
 */
const MAX_WAIT_MS = 2_000;
/** After a jump, neighbouring pages are fetched once the list has not moved for this long. */
const SCROLL_END_MS = 120;
export interface PagedList<T> {
  /** Undefined until the first page has arrived. */
  total: number | undefined;
  item: (index: number) => T | undefined;
  /** Reports the items on screen, and one more item that stays loaded wherever the list is scrolled. */
  show: (firstRow: number, lastRow: number, keptRow?: number) => void;
  /** Fetches items by index, at most MAX_SELECTED_ROWS. */
  fetchRows: (firstRow: number, lastRow: number) => Promise<T[]>;
  error: Error | null;
  retry: () => void;
}

export function usePagedList<T>(query: (page: PageAt) => PageOptions<T>): PagedList<T> {
  const queries = useQueryClient();
  const [view, setView] = useState<View>({ first: 0, last: 0, keptRow: 0, wide: false, direction: 0 });
  const count = queries.getQueryData(query(pageAt(0)).queryKey)?.total ?? 1;
  const fetchedPages = pagesOf(view, count);
  const visiblePages = pagesOf({ ...view, wide: false }, count);
  const keptPage = pageOf(Math.min(view.keptRow, count - 1));
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const leaptAt = useRef(-LEAP_MS);
  const waiting = useRef<View>(view);
  useEffect(() => () => clearTimeout(timer.current), []);

  const pages = useMemo(() => {
    // page 0 contains the total
    return [...new Set([0, ...nearestFirst(fetchedPages, visiblePages), keptPage])];
  }, [fetchedPages.first, fetchedPages.last, visiblePages.first, visiblePages.last, keptPage]);
  const results = useQueries({ queries: pages.map((page) => query(pageAt(page))) });
  const byPage = new Map(pages.map((page, i) => [page, results[i]?.data]));
  const isOnItsWay = pages.some(
    (page, i) =>
      page >= visiblePages.first &&
      page <= visiblePages.last &&
      results[i]?.isFetching &&
      results[i].data === undefined,
  );
  const key = JSON.stringify(query(pageAt(0)).queryKey);
  const arrived = useRef({ key, pages: byPage });
  if (arrived.current.key !== key) arrived.current = { key, pages: byPage };
  else if (!isOnItsWay) arrived.current.pages = byPage;
  const latestState = useRef({ query, view, count, isOnItsWay });
  latestState.current = { query, view, count, isOnItsWay };

  const isLoaded = !view.wide && results.every(({ data }) => data !== undefined);
  useEffect(() => {
    if (!isLoaded) return undefined;
    const rest = setTimeout(() => setView((now) => (now === view ? { ...view, wide: true } : now)), SCROLL_END_MS);
    return () => clearTimeout(rest);
  }, [isLoaded, view]);

  const requestedPages = useRef(new Set<number>());
  useEffect(() => {
    for (const page of pages) requestedPages.current.add(page);
    for (const page of requestedPages.current) {
      if (
        page === 0 ||
        page === keptPage ||
        (page >= fetchedPages.first - KEPT_PAGES && page <= fetchedPages.last + KEPT_PAGES)
      )
        continue;
      queries.removeQueries({ queryKey: latestState.current.query(pageAt(page)).queryKey, exact: true });
      requestedPages.current.delete(page);
    }
  }, [queries, pages, fetchedPages.first, fetchedPages.last]);

  const leap = useCallback(() => {
    timer.current = undefined;
    leaptAt.current = performance.now();
    setView(waiting.current);
  }, []);
  const leapLater = useCallback(() => {
    clearTimeout(timer.current);
    const pause = latestState.current.isOnItsWay ? MAX_WAIT_MS : LEAP_MS;
    // fires at once after a pause, because the End key is a single jump
    timer.current = setTimeout(leap, leaptAt.current + pause - performance.now());
  }, [leap]);
  useEffect(() => {
    if (timer.current !== undefined) leapLater();
  }, [isOnItsWay, leapLater]);

  const show = useCallback(
    (firstRow: number, lastRow: number, keptRow = 0) => {
      const now = pagesOf(latestState.current.view, latestState.current.count);
      const next: View = {
        first: firstRow,
        last: lastRow,
        keptRow,
        wide: true,
        direction: directionTo(firstRow, waiting.current),
      };
      const nextPages = pagesOf(next, latestState.current.count);
      const nextVisible = pagesOf({ ...next, wide: false }, latestState.current.count);
      // only visible pages count; otherwise dragging the scroll bar would fetch neighbours all the way
      const isAdjacent = nextVisible.first <= now.last + 1 && nextVisible.last >= now.first - 1;
      waiting.current = isAdjacent ? next : { ...next, wide: false, direction: 0 };
      if (timer.current !== undefined) return;
      if (!isAdjacent) leapLater();
      else if (
        now.first !== nextPages.first ||
        now.last !== nextPages.last ||
        pageOf(latestState.current.view.keptRow) !== pageOf(keptRow)
      )
        setView(waiting.current);
    },
    [leapLater],
  );

  const fetchRows = useCallback(
    async (firstRow: number, lastRow: number): Promise<T[]> => {
      const end = Math.min(lastRow, firstRow + MAX_SELECTED_ROWS - 1);
      const rows: T[] = [];
      for (let page = pageOf(firstRow); page <= pageOf(end); page += 1) {
        const { items } = await queries.fetchQuery(latestState.current.query(pageAt(page)));
        rows.push(...items.slice(Math.max(0, firstRow - page * PAGE_SIZE), end - page * PAGE_SIZE + 1));
        requestedPages.current.add(page);
      }
      return rows;
    },
    [queries],
  );

  return {
    total: results[0]?.data?.total,
    // pages of the previous position stay visible until the next pages are loaded (ui/held-rows.ts)
    item: (index) => (byPage.get(pageOf(index)) ?? arrived.current.pages.get(pageOf(index)))?.items[index % PAGE_SIZE],
    show,
    fetchRows,
    error: results.find((result) => result.error)?.error ?? null,
    retry: () => {
      for (const result of results) if (result.error) void result.refetch();
    },
  };
}

const pageAt = (page: number): PageAt => ({ limit: PAGE_SIZE, offset: page * PAGE_SIZE });
