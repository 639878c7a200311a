// Requests that look up, choose and store lyrics.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from './client.ts';
import { LIBRARY } from './library.ts';

/** Returns the query that makes the server ask the lyrics service once for a track without lyrics. */
export const lyricsLookupQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/tracks/${id}/lyrics/lookup`] as const,
    queryFn: ({ signal }) => request('POST /tracks/{id}/lyrics/lookup', { path: { id }, signal }),
  });

export const lyricsCandidatesQuery = (id: number, q: string) =>
  queryOptions({
    queryKey: ['lyrics', id, q] as const,
    queryFn: ({ signal }) =>
      request('GET /tracks/{id}/lyrics/candidates', { path: { id }, query: q === '' ? {} : { q }, signal }),
    retry: false,
  });

export function useSetLyrics(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { text: string } | { lrclib_id: number }) =>
      request('PUT /tracks/{id}/lyrics', { path: { id }, body }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [LIBRARY] }),
  });
}

export function useRemoveLyrics(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => request('DELETE /tracks/{id}/lyrics', { path: { id } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [LIBRARY] }),
  });
}
