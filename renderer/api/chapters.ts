// Chapters of an audiobook, and where somebody is in it.
import { queryOptions } from '@tanstack/react-query';
import type { ChaptersOut } from '../../server/library/wire.ts';
import { request } from './client.ts';
import { LIBRARY } from './library.ts';

export const chaptersQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/tracks/${id}/chapters`] as const,
    queryFn: ({ signal }) => request<ChaptersOut>(`/tracks/${id}/chapters`, { signal }),
    staleTime: 0, // the place in it changes while it plays
  });

export const fetchPlace = async (id: number): Promise<number | null> =>
  (await request<ChaptersOut>(`/tracks/${id}/chapters`)).position_ms;
export const savePlace = (id: number, positionMs: number): Promise<unknown> =>
  request(`/bookmarks/${id}`, { method: 'PUT', body: { position_ms: positionMs } });
export const forgetPlace = (id: number): Promise<unknown> => request(`/bookmarks/${id}`, { method: 'DELETE' });
