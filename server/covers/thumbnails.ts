// Covers and mosaics in the sizes of the pages, made on first use and kept in the cache, in a folder per album, artist
// or playlist.
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AlbumId } from '../db/ids.ts';
import { createSlots } from '../runtime/concurrency.ts';
import { isMosaic, makeMosaic, type ShownCover } from './mosaic.ts';
import { resizePicture, type SizedFormat } from './picture.ts';
import type { StoredPicture } from './queries.ts';

/** Decoding uses the thread pool that file reads need too. */
const MAX_AT_ONCE = 2;

interface ThumbnailDeps {
  cacheDir: string;
  readOriginal: (cover: StoredPicture) => Promise<Buffer>;
}

export type Thumbnails = ReturnType<typeof createThumbnails>;

export function createThumbnails({ cacheDir, readOriginal }: ThumbnailDeps) {
  const making = new Map<string, Promise<void>>();
  const inTurn = createSlots(MAX_AT_ONCE);

  const folderOf = (name: AlbumId | string): string => join(cacheDir, 'covers', String(name));
  const pathOf = (cover: ShownCover, size: number, format: SizedFormat = 'webp'): string =>
    join(
      folderOf('owner' in cover ? cover.owner : cover.albumId),
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
    if ('owner' in cover) await deleteOthers(dirname(path), cover.etag);
  }

  return {
    pathOf,
    /** Makes a file once, also for concurrent calls. Throws UnusablePicture and errors of `readOriginal`. */
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

/** Deletes earlier pictures of the same owner. */
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
      await handle.sync(); // else a power cut could leave an empty file with the final name
    } finally {
      await handle.close();
    }
    await rename(temp, path);
  } catch (error) {
    await unlink(temp).catch(() => undefined);
    throw error;
  }
}
