// Looking up, picking and writing lyrics.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { LyricsOut } from '../../server/library/wire.ts';
import type { LyricsCandidate, LyricsLookupOut } from '../../server/lyrics/wire.ts';
import { request } from './client.ts';
import { LIBRARY } from './library.ts';

/** Asks the service once for a track without lyrics. */
export const lyricsLookupQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/tracks/${id}/lyrics/lookup`] as const,
    queryFn: ({ signal }) => request<LyricsLookupOut>(`/tracks/${id}/lyrics/lookup`, { method: 'POST', signal }),
  });

export const lyricsCandidatesQuery = (id: number, q: string) =>
  queryOptions({
    queryKey: ['lyrics', id, q] as const,
    queryFn: ({ signal }) =>
      request<LyricsCandidate[]>(`/tracks/${id}/lyrics/candidates`, { query: q === '' ? {} : { q }, signal }),
    retry: false,
  });

export function useSetLyrics(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { text: string } | { lrclib_id: number }) =>
      request<LyricsOut>(`/tracks/${id}/lyrics`, { method: 'PUT', body }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [LIBRARY] }),
  });
}

export function useRemoveLyrics(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => request<void>(`/tracks/${id}/lyrics`, { method: 'DELETE' }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [LIBRARY] }),
  });
}
