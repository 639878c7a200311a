// Deleted tracks: listing, restoring and permanently deleting them.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from './client.ts';
import { LIBRARY, pageQuery, type PageAt } from './library.ts';

export const trashPage = (page: PageAt) =>
  pageQuery([LIBRARY, '/trash', {}, page], (signal) => request('GET /trash', { query: page, signal }));

/** Returns the query of the number and total size of deleted tracks. */
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

/** Deletes tracks permanently; without ids, all tracks that the user may delete. */
export function useEmptyTrash() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (ids: readonly number[] | undefined) =>
      request('POST /trash/empty', { body: ids ? { track_ids: [...ids] } : {} }),
    onSettled: () => queries.invalidateQueries({ queryKey: [LIBRARY, '/trash'] }),
  });
}
