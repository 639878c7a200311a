// Corrections of a whole album, and releases at MusicBrainz that may be the album.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { request } from './client.ts';
import type { AlbumOut, AlbumPatch } from './routes.ts';

/** Changes an album; the batch undoes the change. Returns the album, which may have another id. */
export const editAlbum = (id: number, patch: AlbumPatch, batch: string): Promise<AlbumOut> =>
  request('PATCH /albums/{id}', { path: { id }, query: { batch }, body: patch });

const ALBUM_MATCHES = 'album-matches';

export const albumMatchesQuery = (id: number, words: { title: string; artist: string }) =>
  queryOptions({
    queryKey: [ALBUM_MATCHES, id, words] as const,
    queryFn: ({ signal }) => request('GET /albums/{id}/matches', { path: { id }, query: words, signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });

export const albumMatchQuery = (id: number, mbid: string) =>
  queryOptions({
    queryKey: [ALBUM_MATCHES, id, mbid] as const,
    queryFn: ({ signal }) => request('GET /albums/{id}/matches/{mbid}', { path: { id, mbid }, signal }),
    retry: false,
  });
