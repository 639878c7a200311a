// Listening history: pages of plays, removing a play, and imports. Query keys begin with `history`, so one event makes
// all of them stale (events.ts).
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from './client.ts';
import type { HistoryImportOut } from './routes.ts';

export const HISTORY = 'history';
const HISTORY_PAGE_SIZE = 100;

/** Times as ISO 8601 texts. */
interface HistoryRange {
  from?: string | undefined;
  to?: string | undefined;
}

const fetchPlays = (range: HistoryRange, page: { limit: number; offset: number }, signal?: AbortSignal) =>
  request('GET /history', { query: { ...range, ...page }, signal });

export const historyQuery = (range: HistoryRange) =>
  infiniteQueryOptions({
    queryKey: [HISTORY, 'plays', range] as const,
    queryFn: ({ pageParam, signal }) => fetchPlays(range, { limit: HISTORY_PAGE_SIZE, offset: pageParam }, signal),
    initialPageParam: 0,
    getNextPageParam: (lastPage) =>
      lastPage.offset + lastPage.items.length < lastPage.total && lastPage.items.length > 0
        ? lastPage.offset + lastPage.items.length
        : undefined,
  });

const YEARS_BACK = 5;

/** Returns the query of albums played on this day in earlier years, latest year first. */
export const onThisDayQuery = (today: string) =>
  queryOptions({
    queryKey: [HISTORY, 'on-this-day', today] as const,
    staleTime: 3_600_000,
    queryFn: async ({ signal }) => {
      const [year = 0, month = 1, day = 1] = today.split('-').map(Number);
      const years = Array.from({ length: YEARS_BACK }, (_, i) => year - 1 - i);
      const pages = await Promise.all(
        years.map((pastYear) =>
          fetchPlays(
            {
              from: new Date(pastYear, month - 1, day).toISOString(),
              to: new Date(pastYear, month - 1, day + 1).toISOString(),
            },
            { limit: HISTORY_PAGE_SIZE, offset: 0 },
            signal,
          ),
        ),
      );
      const firstYear = new Map<number, number>();
      pages.forEach(({ items }, i) => {
        for (const { track } of items)
          if (track?.album_id && !firstYear.has(track.album_id)) firstYear.set(track.album_id, years[i] ?? year);
      });
      const yearByAlbum = [...firstYear].slice(0, 12);
      const albums = await Promise.all(
        yearByAlbum.map(([id]) => request('GET /albums/{id}', { path: { id }, signal })),
      );
      return albums.map((album, i) => ({ album, year: yearByAlbum[i]?.[1] ?? year }));
    },
  });

export function useTakeBack() {
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: [HISTORY] });
  const withdraw = useMutation({
    mutationFn: (id: number) => request('DELETE /history/{id}', { path: { id } }),
    onSettled: refresh,
  });
  const restore = useMutation({
    mutationFn: (id: number) => request('POST /history/{id}/restore', { path: { id } }),
    onSettled: refresh,
  });
  return { withdraw, restore };
}

const WATCH_MS = 1_000;
const isUnderWay = (historyImport: HistoryImportOut) =>
  historyImport.status === 'queued' || historyImport.status === 'running';

/** Returns the query of imports, which is polled every second while an import runs. */
export const importsQuery = () =>
  queryOptions({
    queryKey: ['history-imports'] as const,
    queryFn: ({ signal }) => request('GET /history/imports', { query: { limit: 20 }, signal }),
    refetchInterval: ({ state }) => (state.data?.items.some(isUnderWay) ? WATCH_MS : false),
  });

export function useImportHistory() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (file: File) => {
      const form = new FormData();
      form.append('file', file, file.name);
      return request('POST /history/import', { body: form });
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: importsQuery().queryKey }),
  });
}
