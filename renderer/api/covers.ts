// Changing the cover of an album.
import { request } from './client.ts';

const path = (albumId: number): string => `/albums/${albumId}/cover`;

/** Pictures on the page keep their address, so they are fetched anew. */
async function showAgain(albumId: number): Promise<void> {
  const shown = document.querySelectorAll<HTMLImageElement>(`img[src*="${path(albumId)}?"]`);
  const addresses = new Set([...shown].map(({ src }) => src));
  await Promise.all([...addresses].map((src) => fetch(src, { cache: 'reload' })));
  for (const img of shown) {
    delete img.dataset['broken'];
    const { src } = img;
    img.src = src; // loads it again
  }
}

export async function setCover(albumId: number, picture: File): Promise<void> {
  const body = new FormData();
  body.append('file', picture);
  await request(path(albumId), { method: 'PUT', body });
  await showAgain(albumId);
}

export async function removeCover(albumId: number): Promise<void> {
  await request(path(albumId), { method: 'DELETE' });
  await showAgain(albumId);
}

/** Looks in the tags, in the folder and online; resolves to whether the album has a cover now. */
export async function findCover(albumId: number): Promise<{ found: boolean; reason: string | null }> {
  const result = await request<{ found: boolean; reason: string | null }>(`${path(albumId)}/find`, { method: 'POST' });
  await showAgain(albumId);
  return result;
}

/** The picture among dropped or chosen files. */
export const pictureOf = (files: FileList | undefined): File | undefined =>
  [...(files ?? [])].find(({ type }) => type.startsWith('image/'));
