// Requests that change the cover of an album.
import { queryOptions } from '@tanstack/react-query';
import { loadPictureAgain } from '../ui/load-picture-again.ts';
import { request } from './client.ts';
import { LIBRARY } from './library.ts';

const path = (albumId: number): string => `/albums/${albumId}/cover`;

/** Loads changed pictures again, because their addresses stay the same. */
export async function showPicturesAgain(coverPath: string): Promise<void> {
  const shownImages = document.querySelectorAll<HTMLImageElement>(`img[src*="${coverPath}?"]`);
  const addresses = new Set([...shownImages].map(({ src }) => src));
  await Promise.all([...addresses].map((src) => fetch(src, { cache: 'reload' })));
  for (const img of shownImages) loadPictureAgain(img);
}

export async function setCover(albumId: number, picture: File): Promise<void> {
  const body = new FormData();
  body.append('file', picture);
  await request('PUT /albums/{id}/cover', { path: { id: albumId }, body });
  await showPicturesAgain(path(albumId));
}

export async function removeCover(albumId: number): Promise<void> {
  await request('DELETE /albums/{id}/cover', { path: { id: albumId } });
  await showPicturesAgain(path(albumId));
}

/** Returns the query of the pictures in the files and folders of the album, from which a user chooses the cover. */
export const nearbyCoversQuery = (albumId: number) =>
  queryOptions({
    queryKey: [LIBRARY, path(albumId), 'candidates'] as const,
    queryFn: ({ signal }) => request('GET /albums/{id}/cover/candidates', { path: { id: albumId }, signal }),
  });
/**
 * Returns the query of the pictures in the Cover Art Archive, which is slow. They are not fetched again when the
 * library changes.
 */
export const archiveCoversQuery = (albumId: number) =>
  queryOptions({
    queryKey: ['cover-archive', albumId] as const,
    queryFn: ({ signal }) =>
      request('GET /albums/{id}/cover/candidates', { path: { id: albumId }, query: { from: 'archive' }, signal }),
    retry: false,
    staleTime: 600_000,
  });

export async function chooseCover(albumId: number, candidate: string): Promise<void> {
  await request('POST /albums/{id}/cover/choose', { path: { id: albumId }, body: { candidate } });
  await showPicturesAgain(path(albumId));
}

/** Returns the first picture among dropped or chosen files. */
export const pictureOf = (files: FileList | undefined): File | undefined =>
  [...(files ?? [])].find(({ type }) => type.startsWith('image/'));
