// Deleted tracks: listed, restored, deleted for good.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from './client.ts';
import { LIBRARY, pageQuery, type PageAt } from './library.ts';

export const trashPage = (at: PageAt) =>
  pageQuery([LIBRARY, '/trash', {}, at], (signal) => request('GET /trash', { query: at, signal }));

/** How many tracks there are, and their size. */
export const trashTotalQuery = () =>
  queryOptions({
    queryKey: [LIBRARY, '/trash', 'total'] as const,
    queryFn: ({ signal }) => request('GET /trash', { query: { limit: 1 }, signal }),
  });

export function useRestoreTracks() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (ids: readonly number[]) => request('POST /trash/restore', { body: { track_ids: [...ids] } }),
    onSettled: () => queries.invalidateQueries({ queryKey: [LIBRARY] }),
  });
}

/** For good; without ids all that one may. */
export function useEmptyTrash() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (ids: readonly number[] | undefined) =>
      request('POST /trash/empty', { body: ids ? { track_ids: [...ids] } : {} }),
    onSettled: () => queries.invalidateQueries({ queryKey: [LIBRARY, '/trash'] }),
  });
}
