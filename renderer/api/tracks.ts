// One track with all its details.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from './client.ts';
import type { TrackPut } from './routes.ts';
import { LIBRARY } from './library.ts';
import { ApiError } from './problem.ts';

export const trackQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/tracks/${id}`] as const,
    queryFn: ({ signal }) => request('GET /tracks/{id}', { path: { id }, signal }),
  });
export const matchesQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/tracks/${id}/matches`] as const,
    queryFn: ({ signal }) => request('GET /tracks/{id}/matches', { path: { id }, signal }),
  });
export const trackLyricsQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/tracks/${id}/lyrics`] as const,
    queryFn: ({ signal }) => request('GET /tracks/{id}/lyrics', { path: { id }, signal }),
  });

export function useSetMetadata(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: TrackPut) => request('PUT /tracks/{id}/metadata', { path: { id }, body }),
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
      const answer = await request('POST /tracks/{id}/metadata/enrich', { path: { id } });
      if (!answer.queued) throw new ApiError(503, answer.detail);
    },
  });

export const deleteTrack = (id: number): Promise<void> => request('DELETE /tracks/{id}', { path: { id } });
