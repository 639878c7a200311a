// What is known about artists and albums, and who an artist is.
import { queryOptions } from '@tanstack/react-query';
import type { AlbumAbout, ArtistAbout, IdentityCandidate, PictureCandidate } from '../../server/about/wire.ts';
import { request } from './client.ts';
import { showPicturesAgain } from './covers.ts';
import { LIBRARY } from './library.ts';

const picture = (artistId: number): string => `/artists/${artistId}/cover`;
const aboutPath = (kind: 'artists' | 'albums', id: number): string => `/${kind}/${id}/about`;

const queryOf = <T>(kind: 'artists' | 'albums', id: number, language: string) =>
  queryOptions({
    queryKey: [LIBRARY, aboutPath(kind, id), language] as const,
    queryFn: ({ signal }) => request<T>(aboutPath(kind, id), { query: { language }, signal }),
  });
export const artistAboutQuery = (id: number, language: string) => queryOf<ArtistAbout>('artists', id, language);
export const albumAboutQuery = (id: number, language: string) => queryOf<AlbumAbout>('albums', id, language);

/** Asks the services, which takes seconds; the answer comes by the queries above. */
export const lookUpAbout = async (kind: 'artists' | 'albums', id: number, signal: AbortSignal): Promise<null> => {
  await request(`${aboutPath(kind, id)}/lookup`, { method: 'POST', signal });
  return null;
};

export const identityCandidatesQuery = (id: number, q: string) =>
  queryOptions({
    queryKey: ['artist-candidates', id, q] as const,
    queryFn: ({ signal }) =>
      request<IdentityCandidate[]>(`${aboutPath('artists', id)}/candidates`, { query: { q }, signal }),
    retry: false,
    staleTime: 600_000,
  });
/** Null: none of those; undefined: what the tags or albums say. */
export async function setIdentity(id: number, artist_mbid: string | null | undefined): Promise<void> {
  const path = aboutPath('artists', id);
  if (artist_mbid === undefined) await request(path, { method: 'DELETE' });
  else await request(path, { method: 'PUT', body: { artist_mbid } });
  await showPicturesAgain(picture(id));
}

export const ARTIST_PICTURES = ['artist-pictures'] as const;
export const artistPicturesQuery = (id: number) =>
  queryOptions({
    queryKey: [...ARTIST_PICTURES, id] as const,
    queryFn: ({ signal }) => request<PictureCandidate[]>(`${picture(id)}/candidates`, { signal }),
    retry: false,
    staleTime: 600_000,
  });

export async function setArtistPicture(id: number, file: File): Promise<void> {
  const body = new FormData();
  body.append('file', file);
  await request(picture(id), { method: 'PUT', body });
  await showPicturesAgain(picture(id));
}
/** One of Commons; null for the one that is found by itself. */
export async function chooseArtistPicture(id: number, file: string | null): Promise<void> {
  await request(`${picture(id)}/choose`, { method: 'POST', body: { file } });
  await showPicturesAgain(picture(id));
}
export async function removeArtistPicture(id: number): Promise<void> {
  await request(picture(id), { method: 'DELETE' });
  await showPicturesAgain(picture(id));
}
export async function undoArtistPicture(id: number): Promise<void> {
  await request(`${picture(id)}/undo`, { method: 'POST' });
  await showPicturesAgain(picture(id));
}
