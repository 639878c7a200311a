// Deleted tracks: listed, restored, deleted for good.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { DeletedOut, RestoredOut, TrashedTrackOut, TrashPage } from '../../server/library/wire.ts';
import { request } from './client.ts';
import { LIBRARY, pageQuery, type PageAt } from './library.ts';

const TRASH_PATH = '/trash';

export const trashPage = (at: PageAt) => pageQuery<TrashedTrackOut>(LIBRARY, TRASH_PATH, {}, at);

/** How many tracks there are, and their size. */
export const trashTotalQuery = () =>
  queryOptions({
    queryKey: [LIBRARY, TRASH_PATH, 'total'] as const,
    queryFn: ({ signal }) => request<TrashPage>(TRASH_PATH, { query: { limit: 1 }, signal }),
  });

export function useRestoreTracks() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (ids: readonly number[]) =>
      request<RestoredOut>(`${TRASH_PATH}/restore`, { method: 'POST', body: { track_ids: ids } }),
    onSettled: () => queries.invalidateQueries({ queryKey: [LIBRARY] }),
  });
}

/** For good; without ids all that one may. */
export function useEmptyTrash() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (ids: readonly number[] | undefined) =>
      request<DeletedOut>(`${TRASH_PATH}/empty`, { method: 'POST', body: ids ? { track_ids: ids } : {} }),
    onSettled: () => queries.invalidateQueries({ queryKey: [LIBRARY, TRASH_PATH] }),
  });
}
