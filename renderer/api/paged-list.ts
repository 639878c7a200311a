// A list of any length as windows of pages: only pages that touch what is on screen are asked for, their neighbours ahead of time, and
// those far away are dropped, so 80,000 albums or a million tracks cost what a few screenfuls cost. Rows of pages on their way are
// undefined and drawn as skeletons.
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { PAGE_SIZE, type PageAt, type PageOptions } from './library.ts';

/** Pages before and behind those on screen that are kept. */
const KEPT = 12;
/** While the scroll bar is dragged pages are asked for at most this often, so that none is asked for that flew by. */
const LEAP_MS = 60;
/** A row nearer than this to the next page has it fetched. */
const AHEAD = 80;
/** More rows than this are never looked up one by one. */
export const MOST_ROWS = 10_000;

export interface PagedList<T> {
  /** Undefined until the first page is here. */
  total: number | undefined;
  item: (index: number) => T | undefined;
  /** Tells the list which items are on screen. */
  show: (first: number, last: number) => void;
  /** Items wherever they are, at most MOST_ROWS. */
  fetchRows: (first: number, last: number) => Promise<T[]>;
  error: Error | null;
  retry: () => void;
}

interface Pages { first: number; last: number }
const pageOf = (index: number) => Math.floor(Math.max(0, index) / PAGE_SIZE);

export function usePagedList<T>(query: (at: PageAt) => PageOptions<T>): PagedList<T> {
  const queries = useQueryClient();
  const [shown, setShown] = useState<Pages>({ first: 0, last: 0 });
  const latest = useRef<{ query: typeof query; shown: Pages; total: number | undefined }>({ query, shown, total: undefined });
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const waiting = useRef<Pages>(shown);
  useEffect(() => () => clearTimeout(timer.current), []);

  const pages = useMemo(() => {
    const numbers = new Set([0]); // tells how many there are
    for (let page = shown.first; page <= shown.last; page += 1) numbers.add(page);
    return [...numbers];
  }, [shown]);
  const results = useQueries({ queries: pages.map((page) => query(at(page))) });
  const byPage = new Map(pages.map((page, i) => [page, results[i]?.data]));
  const total = results[0]?.data?.total;
  latest.current = { query, shown, total };

  const asked = useRef(new Set<number>());
  useEffect(() => {
    for (const page of pages) asked.current.add(page);
    for (const page of asked.current) {
      if (page === 0 || (page >= shown.first - KEPT && page <= shown.last + KEPT)) continue;
      queries.removeQueries({ queryKey: latest.current.query(at(page)).queryKey, exact: true });
      asked.current.delete(page);
    }
  }, [queries, pages, shown]);

  const show = useCallback((first: number, last: number) => {
    const { shown: now, total: count = 1 } = latest.current;
    const next = { first: pageOf(first - AHEAD), last: pageOf(Math.min(last + AHEAD, count - 1)) };
    waiting.current = next;
    if (now.first === next.first && now.last === next.last) return;
    const isNear = next.first <= now.last + 1 && next.last >= now.first - 1;
    if (isNear) setShown(next);
    else {
      timer.current ??= setTimeout(() => {
        timer.current = undefined;
        setShown(waiting.current);
      }, LEAP_MS);
    }
  }, []);

  const fetchRows = useCallback(async (first: number, last: number): Promise<T[]> => {
    const end = Math.min(last, first + MOST_ROWS - 1);
    const rows: T[] = [];
    for (let page = pageOf(first); page <= pageOf(end); page += 1) {
      const { items } = await queries.fetchQuery(latest.current.query(at(page)));
      rows.push(...items.slice(Math.max(0, first - page * PAGE_SIZE), end - page * PAGE_SIZE + 1));
      asked.current.add(page);
    }
    return rows;
  }, [queries]);

  return {
    total,
    item: (index) => byPage.get(pageOf(index))?.items[index % PAGE_SIZE],
    show,
    fetchRows,
    error: results.find((result) => result.error)?.error ?? null,
    retry: () => {
      for (const result of results) if (result.error) void result.refetch();
    },
  };
}

const at = (page: number): PageAt => ({ limit: PAGE_SIZE, offset: page * PAGE_SIZE });
