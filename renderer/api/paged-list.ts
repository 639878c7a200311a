// A list of any length as windows of pages: only pages that touch what is on screen are asked for, so 80,000 albums or a million tracks
// cost what a screenful costs. Rows of pages on their way are undefined and drawn as skeletons.
import { useQueries } from '@tanstack/react-query';
import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import { PAGE_SIZE, type PageAt, type PageOptions } from './library.ts';

export interface PagedList<T> {
  /** Undefined until the first page is here. */
  total: number | undefined;
  item: (index: number) => T | undefined;
  /** Tells the list which items are on screen. */
  show: (first: number, last: number) => void;
  error: Error | null;
  retry: () => void;
}

export function usePagedList<T>(query: (at: PageAt) => PageOptions<T>): PagedList<T> {
  const [range, setRange] = useState({ first: 0, last: 0 });
  const shown = useDeferredValue(range);
  const pages = useMemo(() => {
    const numbers = new Set([0]);
    for (let page = shown.first; page <= shown.last; page += 1) numbers.add(page);
    return [...numbers];
  }, [shown]);

  const results = useQueries({ queries: pages.map((page) => query({ limit: PAGE_SIZE, offset: page * PAGE_SIZE })) });

  const byPage = new Map(pages.map((page, i) => [page, results[i]?.data]));
  const show = useCallback((first: number, last: number) => {
    const next = { first: Math.floor(first / PAGE_SIZE), last: Math.floor(last / PAGE_SIZE) };
    setRange((now) => (now.first === next.first && now.last === next.last ? now : next));
  }, []);

  return {
    total: results[0]?.data?.total,
    item: (index) => byPage.get(Math.floor(index / PAGE_SIZE))?.items[index % PAGE_SIZE],
    show,
    error: results.find((result) => result.error)?.error ?? null,
    retry: () => {
      for (const result of results) if (result.error) void result.refetch();
    },
  };
}
