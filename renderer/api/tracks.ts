// One track and everything known about it.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { AskedEnrichment, MatchesOut } from '../../server/enrichment/wire.ts';
import type { LyricsOut, TrackOut, TrackPut } from '../../server/library/wire.ts';
import { request } from './client.ts';
import { LIBRARY } from './library.ts';
import { ApiError } from './problem.ts';

export const trackQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/tracks/${id}`] as const,
    queryFn: ({ signal }) => request<TrackOut>(`/tracks/${id}`, { signal }),
  });
export const matchesQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/tracks/${id}/matches`] as const,
    queryFn: ({ signal }) => request<MatchesOut>(`/tracks/${id}/matches`, { signal }),
  });
export const trackLyricsQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/tracks/${id}/lyrics`] as const,
    queryFn: ({ signal }) => request<LyricsOut>(`/tracks/${id}/lyrics`, { signal }),
  });

export function useSetMetadata(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: TrackPut) => request<TrackOut>(`/tracks/${id}/metadata`, { method: 'PUT', body }),
    onSuccess: (track) => {
      queries.setQueryData(trackQuery(id).queryKey, track);
      return queries.invalidateQueries({ queryKey: [LIBRARY] });
    },
  });
}

/** Starts identification; the result arrives as a `track` event. */
export const useIdentify = () =>
  useMutation({
    mutationFn: async (id: number) => {
      const answer = await request<AskedEnrichment>(`/tracks/${id}/metadata/enrich`, { method: 'POST' });
      if (!answer.queued) throw new ApiError(503, answer.detail);
    },
  });

export const deleteTrack = (id: number): Promise<void> => request<void>(`/tracks/${id}`, { method: 'DELETE' });
