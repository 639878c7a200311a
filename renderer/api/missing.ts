// Tracks whose file is missing: their number, possible replacements, and requests that relocate or remove them.
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { request } from './client.ts';
import { LIBRARY, trackPage, type PageAt, type SortOrder } from './library.ts';

export const MISSING_SORTS = ['title', 'artist', 'album'] as const;
export interface MissingOrder {
  sort?: (typeof MISSING_SORTS)[number] | undefined;
  order?: SortOrder | undefined;
}

export const missingPage = (order: MissingOrder, page: PageAt) =>
  trackPage({ ...order, availability: 'missing' }, page);

export const useMissingCount = (): number => useQuery(missingPage({}, { limit: 1, offset: 0 })).data?.total ?? 0;

export const replacementsQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/tracks/${id}/replacements`] as const,
    queryFn: ({ signal }) => request('GET /tracks/{id}/replacements', { path: { id }, signal }),
    staleTime: 0,
  });

/** Gives a missing track the file of another track, which is deleted. */
export function useRelocate() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, otherId }: { id: number; otherId: number }) =>
      request('POST /tracks/{id}/relocate', { path: { id }, body: { track_id: otherId } }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: [LIBRARY] }),
  });
}

/** Returns the query of the number of missing tracks whose replacement is certain. */
export const certainQuery = () =>
  queryOptions({
    queryKey: [LIBRARY, '/missing/certain'] as const,
    queryFn: ({ signal }) => request('GET /missing/certain', { signal }),
  });

export function useRelocateCertain() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => request('POST /missing/certain'),
    onSettled: () => queries.invalidateQueries({ queryKey: [LIBRARY] }),
  });
}

/** Deletes a track if its file is still missing; otherwise keeps the track and returns false. */
export async function deleteMissing(id: number): Promise<boolean> {
  const { availability } = await request('GET /tracks/{id}', { path: { id } });
  if (availability !== 'missing') return false;
  await request('DELETE /tracks/{id}', { path: { id } });
  return true;
}
