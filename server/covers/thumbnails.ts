// Covers in the sizes that windows use, made when first asked for and kept in the cache folder, a folder per album.
// Mosaics are kept beside them, a folder for whom each is of.
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AlbumId } from '../db/ids.ts';
import { createSlots } from '../runtime/at-once.ts';
import { isMosaic, makeMosaic, type ShownCover } from './mosaic.ts';
import { resizePicture, type SizedFormat } from './picture.ts';
import type { StoredCover } from './queries.ts';

export const COVER_SIZES = [64, 160, 300, 600, 1200] as const;
/** Decoding uses the threads that file reads need too. */
const MAX_AT_ONCE = 2;

/** The nearest size there is; the larger one when two are as near. */
export const nearestSize = (wanted: number): number =>
  COVER_SIZES.reduce((best, size) => (Math.abs(size - wanted) <= Math.abs(best - wanted) ? size : best));

export interface ThumbnailDeps {
  cacheDir: string;
  readOriginal: (cover: StoredCover) => Promise<Buffer>;
}

export type Thumbnails = ReturnType<typeof createThumbnails>;

export function createThumbnails({ cacheDir, readOriginal }: ThumbnailDeps) {
  const making = new Map<string, Promise<void>>();
  const inTurn = createSlots(MAX_AT_ONCE);

  const folderOf = (name: AlbumId | string): string => join(cacheDir, 'covers', String(name));
  const pathOf = (cover: ShownCover, size: number, format: SizedFormat = 'webp'): string =>
    join(
      folderOf(isMosaic(cover) ? cover.owner : cover.albumId),
      `${cover.etag}-${size}.${format === 'jpeg' ? 'jpg' : format}`,
    );

  async function makeOnce(cover: ShownCover, size: number, format: SizedFormat): Promise<void> {
    const path = pathOf(cover, size, format);
    const bytes = await inTurn(async () =>
      isMosaic(cover)
        ? makeMosaic(cover, size, format, readOriginal)
        : resizePicture(await readOriginal(cover), size, format),
    );
    await writeWhole(path, bytes);
    if (isMosaic(cover)) await deleteOthers(dirname(path), cover.etag);
  }

  return {
    pathOf,
    /**
     * Makes it; those who ask for the same one meanwhile wait for it together. Throws UnusablePicture and what reading
     * the original throws.
     */
    make(cover: ShownCover, size: number, format: SizedFormat = 'webp'): Promise<void> {
      const path = pathOf(cover, size, format);
      const work = making.get(path) ?? makeOnce(cover, size, format).finally(() => making.delete(path));
      making.set(path, work);
      return work;
    },
    /** After a cover was replaced or removed. */
    forget: (albumId: AlbumId): Promise<void> => rm(folderOf(albumId), { recursive: true, force: true }),
  };
}

/** Pictures made of covers that are no more. */
async function deleteOthers(folder: string, etag: string): Promise<void> {
  for (const name of await readdir(folder)) if (!name.startsWith(etag)) await rm(join(folder, name), { force: true });
}

async function writeWhole(path: string, bytes: Buffer): Promise<void> {
  const temp = `${path}.${randomBytes(6).toString('hex')}`;
  await mkdir(dirname(path), { recursive: true });
  try {
    const handle = await open(temp, 'wx');
    try {
      await handle.writeFile(bytes);
      await handle.sync(); // or a power cut leaves an empty picture under the final name
    } finally {
      await handle.close();
    }
    await rename(temp, path);
  } catch (error) {
    await unlink(temp).catch(() => undefined);
    throw error;
  }
}
