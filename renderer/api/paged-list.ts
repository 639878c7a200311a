// A list of any length, held as a window of pages: pages on screen are fetched first, then their neighbours, and
// distant ones are dropped, so 80,000 albums or a million tracks cost what a few screenfuls cost. Rows of pages not
// loaded yet are undefined and drawn as skeletons.
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { MAX_SELECTED_ROWS } from '../ui/lists/selection.ts';
import type { PageAt, PageOptions } from './library.ts';
import { nearestFirst, PAGE_SIZE, pageOf, pagesOf, wayTo, type View } from './pages-ahead.ts';

/** Pages kept before and behind those on screen. */
const KEPT_PAGES = 12;
/** While the scroll bar is dragged, pages are fetched at most this often, so that few are fetched in passing. */
const LEAP_MS = 60;
/**
 * And not before the last ones have arrived, unless that takes longer than this: what is finally wanted would wait
 * behind them. Sooner, and a slow server would be interrupted each time, so that nothing shows while one drags, and it
 * would work no less: it answers what it has begun.
 */
const PATIENCE_MS = 2_000;
/** After a jump, neighbours are fetched once it has been still for this long. */
const SCROLL_END_MS = 120;
export interface PagedList<T> {
  /** Undefined until the first page has arrived. */
  total: number | undefined;
  item: (index: number) => T | undefined;
  /** Reports which items are on screen, and one more that is kept wherever the screen is. */
  show: (first: number, last: number, kept?: number) => void;
  /** Items by index, at most MOST_ROWS. */
  fetchRows: (first: number, last: number) => Promise<T[]>;
  error: Error | null;
  retry: () => void;
}

export function usePagedList<T>(query: (at: PageAt) => PageOptions<T>): PagedList<T> {
  const queries = useQueryClient();
  const [view, setView] = useState<View>({ first: 0, last: 0, kept: 0, wide: false, way: 0 });
  const count = queries.getQueryData(query(pageAt(0)).queryKey)?.total ?? 1;
  const shown = pagesOf(view, count);
  const visiblePages = pagesOf({ ...view, wide: false }, count);
  const keptPage = pageOf(Math.min(view.kept, count - 1));
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const leaptAt = useRef(-LEAP_MS);
  const waiting = useRef<View>(view);
  useEffect(() => () => clearTimeout(timer.current), []);

  const pages = useMemo(() => {
    // the first carries the total
    return [...new Set([0, ...nearestFirst(shown, visiblePages), keptPage])];
  }, [shown.first, shown.last, visiblePages.first, visiblePages.last, keptPage]);
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
  const latest = useRef({ query, view, count, isOnItsWay });
  latest.current = { query, view, count, isOnItsWay };

  const isHere = !view.wide && results.every(({ data }) => data !== undefined);
  useEffect(() => {
    if (!isHere) return undefined;
    const rest = setTimeout(() => setView((now) => (now === view ? { ...view, wide: true } : now)), SCROLL_END_MS);
    return () => clearTimeout(rest);
  }, [isHere, view]);

  const requestedPages = useRef(new Set<number>());
  useEffect(() => {
    for (const page of pages) requestedPages.current.add(page);
    for (const page of requestedPages.current) {
      if (page === 0 || page === keptPage || (page >= shown.first - KEPT_PAGES && page <= shown.last + KEPT_PAGES))
        continue;
      queries.removeQueries({ queryKey: latest.current.query(pageAt(page)).queryKey, exact: true });
      requestedPages.current.delete(page);
    }
  }, [queries, pages, shown.first, shown.last]);

  const leap = useCallback(() => {
    timer.current = undefined;
    leaptAt.current = performance.now();
    setView(waiting.current);
  }, []);
  const leapLater = useCallback(() => {
    clearTimeout(timer.current);
    const pause = latest.current.isOnItsWay ? PATIENCE_MS : LEAP_MS;
    // at once after a pause: End is a single jump
    timer.current = setTimeout(leap, leaptAt.current + pause - performance.now());
  }, [leap]);
  useEffect(() => {
    if (timer.current !== undefined) leapLater();
  }, [isOnItsWay, leapLater]);

  const show = useCallback(
    (first: number, last: number, kept = 0) => {
      const now = pagesOf(latest.current.view, latest.current.count);
      const next: View = { first, last, kept, wide: true, way: wayTo(first, waiting.current) };
      const nextPages = pagesOf(next, latest.current.count);
      const nextVisible = pagesOf({ ...next, wide: false }, latest.current.count);
      // only what is on screen, or dragging the scroll bar would fetch neighbours all the way
      const isNear = nextVisible.first <= now.last + 1 && nextVisible.last >= now.first - 1;
      waiting.current = isNear ? next : { ...next, wide: false, way: 0 };
      if (timer.current !== undefined) return;
      if (!isNear) leapLater();
      else if (
        now.first !== nextPages.first ||
        now.last !== nextPages.last ||
        pageOf(latest.current.view.kept) !== pageOf(kept)
      )
        setView(waiting.current);
    },
    [leapLater],
  );

  const fetchRows = useCallback(
    async (first: number, last: number): Promise<T[]> => {
      const end = Math.min(last, first + MAX_SELECTED_ROWS - 1);
      const rows: T[] = [];
      for (let page = pageOf(first); page <= pageOf(end); page += 1) {
        const { items } = await queries.fetchQuery(latest.current.query(pageAt(page)));
        rows.push(...items.slice(Math.max(0, first - page * PAGE_SIZE), end - page * PAGE_SIZE + 1));
        requestedPages.current.add(page);
      }
      return rows;
    },
    [queries],
  );

  return {
    total: results[0]?.data?.total,
    // those of the last place too, which stay in sight until the next ones are here (ui/held-rows.ts)
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
