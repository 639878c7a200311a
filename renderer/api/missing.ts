// Tracks whose file is not where it was: how many there are, what may take their place, and the two ways out.
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReplacementOut } from '../../server/relocation/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { request } from './client.ts';
import { LIBRARY, trackPage, type PageAt, type SortOrder } from './library.ts';

export const MISSING_SORTS = ['title', 'artist', 'album'] as const;
export interface MissingOrder {
  sort?: (typeof MISSING_SORTS)[number] | undefined;
  order?: SortOrder | undefined;
}

export const missingPage = (order: MissingOrder, at: PageAt) => trackPage({ ...order, availability: 'missing' }, at);

export const useMissingCount = (): number => useQuery(missingPage({}, { limit: 1, offset: 0 })).data?.total ?? 0;

export const replacementsQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/tracks/${id}/replacements`] as const,
    queryFn: ({ signal }) => request<ReplacementOut[]>(`/tracks/${id}/replacements`, { signal }),
    staleTime: 0,
  });

/** Gives a missing track the file of another one, which goes. */
export function useRelocate() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, otherId }: { id: number; otherId: number }) =>
      request<TrackOut>(`/tracks/${id}/relocate`, { method: 'POST', body: { track_id: otherId } }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: [LIBRARY] }),
  });
}

/** False when its file is back by now: what a person let go was a track without one. */
export async function deleteMissing(id: number): Promise<boolean> {
  const { availability } = await request<TrackOut>(`/tracks/${id}`);
  if (availability !== 'missing') return false;
  await request(`/tracks/${id}`, { method: 'DELETE' });
  return true;
}
