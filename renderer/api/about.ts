// Information about artists and albums, and the MusicBrainz identity of an artist.
import { queryOptions } from '@tanstack/react-query';
import { request } from './client.ts';
import { showPicturesAgain } from './covers.ts';
import { LIBRARY } from './library.ts';

const picture = (artistId: number): string => `/artists/${artistId}/cover`;

export const artistAboutQuery = (id: number, language: string) =>
  queryOptions({
    queryKey: [LIBRARY, `/artists/${id}/about`, language] as const,
    queryFn: ({ signal }) => request('GET /artists/{id}/about', { path: { id }, query: { language }, signal }),
  });
export const albumAboutQuery = (id: number, language: string) =>
  queryOptions({
    queryKey: [LIBRARY, `/albums/${id}/about`, language] as const,
    queryFn: ({ signal }) => request('GET /albums/{id}/about', { path: { id }, query: { language }, signal }),
  });

/**
 * Makes the server ask the online services, which takes seconds. The result arrives through `artistAboutQuery` and
 * `albumAboutQuery`.
 */
export const lookUpAbout = async (kind: 'artists' | 'albums', id: number, signal: AbortSignal): Promise<null> => {
  await request(`POST /${kind}/{id}/about/lookup`, { path: { id }, signal });
  return null;
};

export const identityCandidatesQuery = (id: number, q: string) =>
  queryOptions({
    queryKey: ['artist-candidates', id, q] as const,
    queryFn: ({ signal }) => request('GET /artists/{id}/about/candidates', { path: { id }, query: { q }, signal }),
    retry: false,
    staleTime: 600_000,
  });
/**
 * Sets the artist's MusicBrainz id. Null means that none of the candidates is right, undefined restores the id from the
 * tags or albums.
 */
export async function setIdentity(id: number, artist_mbid: string | null | undefined): Promise<void> {
  if (artist_mbid === undefined) await request('DELETE /artists/{id}/about', { path: { id } });
  else await request('PUT /artists/{id}/about', { path: { id }, body: { artist_mbid } });
  await showPicturesAgain(picture(id));
}

export const ARTIST_PICTURES = ['artist-pictures'] as const;
export const artistPicturesQuery = (id: number) =>
  queryOptions({
    queryKey: [...ARTIST_PICTURES, id] as const,
    queryFn: ({ signal }) => request('GET /artists/{id}/cover/candidates', { path: { id }, signal }),
    retry: false,
    staleTime: 600_000,
  });

export async function setArtistPicture(id: number, file: File): Promise<void> {
  const body = new FormData();
  body.append('file', file);
  await request('PUT /artists/{id}/cover', { path: { id }, body });
  await showPicturesAgain(picture(id));
}
/** Chooses a picture of Wikimedia Commons; null restores the picture that was found automatically. */
export async function chooseArtistPicture(id: number, file: string | null): Promise<void> {
  await request('POST /artists/{id}/cover/choose', { path: { id }, body: { file } });
  await showPicturesAgain(picture(id));
}
export async function removeArtistPicture(id: number): Promise<void> {
  await request('DELETE /artists/{id}/cover', { path: { id } });
  await showPicturesAgain(picture(id));
}
export async function undoArtistPicture(id: number): Promise<void> {
  await request('POST /artists/{id}/cover/undo', { path: { id } });
  await showPicturesAgain(picture(id));
}
