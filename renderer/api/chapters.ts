// Chapters of an audiobook, and the listener's position in it.
import { queryOptions } from '@tanstack/react-query';
import { request } from './client.ts';
import { LIBRARY } from './library.ts';

export const chaptersQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/tracks/${id}/chapters`] as const,
    queryFn: ({ signal }) => request('GET /tracks/{id}/chapters', { path: { id }, signal }),
    staleTime: 0, // the position changes while the audiobook plays
  });

export const fetchPlace = async (id: number): Promise<number | null> =>
  (await request('GET /tracks/{id}/chapters', { path: { id } })).position_ms;
export const savePlace = (id: number, positionMs: number): Promise<unknown> =>
  request('PUT /bookmarks/{track_id}', { path: { track_id: id }, body: { position_ms: positionMs } });
export const forgetPlace = (id: number): Promise<unknown> =>
  request('DELETE /bookmarks/{track_id}', { path: { track_id: id } });
