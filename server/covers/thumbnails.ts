// Covers and mosaics in the sizes of the pages. They are drawn on first use and cached, in a folder per album, artist
// or playlist. The first request does not wait until the picture is on disk.
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AlbumId } from '../db/ids.ts';
import type { Log } from '../log/log.ts';
import { createSlots } from '../runtime/concurrency.ts';
import { isMosaic, makeMosaic, type ShownCover } from './mosaic.ts';
import { resizePicture, type SizedFormat } from './picture.ts';
import type { StoredPicture } from './queries.ts';

/** Only few pictures are drawn at the same time, because decoding uses the thread pool that file reads need, too. */
const MAX_CONCURRENT = 2;

interface ThumbnailDeps {
  cacheDir: string;
  log: Log;
  readOriginal: (cover: StoredPicture) => Promise<Buffer>;
}

export type Thumbnails = ReturnType<typeof createThumbnails>;

export function createThumbnails({ cacheDir, log, readOriginal }: ThumbnailDeps) {
  /** Pictures by path that are being drawn, or are not in the cache yet. */
  const pendingPictures = new Map<string, { bytes: Promise<Buffer>; writtenToCache: Promise<void> }>();
  const [drawingSlots, writingSlots] = [createSlots(MAX_CONCURRENT), createSlots(MAX_CONCURRENT)];

  const folderOf = (name: AlbumId | string): string => join(cacheDir, 'covers', String(name));
  const pathOf = (cover: ShownCover, size: number, format: SizedFormat = 'webp'): string =>
    join(
      folderOf('owner' in cover ? cover.owner : cover.albumId),
      `${cover.etag}-${size}.${format === 'jpeg' ? 'jpg' : format}`,
    );

  const drawPicture = (cover: ShownCover, size: number, format: SizedFormat): Promise<Buffer> =>
    drawingSlots(async () =>
      isMosaic(cover)
        ? makeMosaic(cover, size, format, readOriginal)
        : resizePicture(await readOriginal(cover), size, format),
    );

  const cachePicture = (cover: ShownCover, path: string, bytes: Buffer): Promise<void> =>
    writingSlots(async () => {
      try {
        await writeWhole(path, bytes);
        if ('owner' in cover) await deleteOldPictures(dirname(path), cover.etag);
      } catch (error) {
        log.warn({ path, err: error }, 'cannot cache a drawn cover');
      }
    });

  const waitUntilCached = async (matches: (path: string) => boolean): Promise<void> =>
    void (await Promise.all(
      [...pendingPictures].flatMap(([path, { writtenToCache }]) => (matches(path) ? writtenToCache : [])),
    ));

  return {
    pathOf,
    /**
     * Draws a picture that is not in the cache, and caches it. Concurrent calls share the work. Throws UnusablePicture
     * and errors of `readOriginal`.
     */
    draw(cover: ShownCover, size: number, format: SizedFormat = 'webp'): Promise<Buffer> {
      const path = pathOf(cover, size, format);
      const pendingPicture = pendingPictures.get(path);
      if (pendingPicture) return pendingPicture.bytes;
      const bytes = drawPicture(cover, size, format);
      const writtenToCache = bytes
        .then((picture) => cachePicture(cover, path, picture))
        .catch(() => undefined) // the error reaches the caller through `bytes`
        .finally(() => pendingPictures.delete(path));
      pendingPictures.set(path, { bytes, writtenToCache });
      return bytes;
    },
    /** Deletes the cached pictures of an album, after its cover was replaced or removed. */
    async forget(albumId: AlbumId): Promise<void> {
      const folder = folderOf(albumId);
      await waitUntilCached((path) => dirname(path) === folder);
      await rm(folder, { recursive: true, force: true });
    },
    /** Resolves when all pictures that were drawn are in the cache. */
    flush: (): Promise<void> => waitUntilCached(() => true),
  };
}

/** Deletes old pictures from the folder of an owner. */
async function deleteOldPictures(folder: string, etag: string): Promise<void> {
  for (const name of await readdir(folder)) if (!name.startsWith(etag)) await rm(join(folder, name), { force: true });
}

async function writeWhole(path: string, bytes: Buffer): Promise<void> {
  const temp = `${path}.${randomBytes(6).toString('hex')}`;
  await mkdir(dirname(path), { recursive: true });
  try {
    const handle = await open(temp, 'wx');
    try {
      await handle.writeFile(bytes);
      await handle.sync(); // without `sync` a power cut could leave an empty file with the final name
    } finally {
      await handle.close();
    }
    await rename(temp, path);
  } catch (error) {
    await unlink(temp).catch(() => undefined);
    throw error;
  }
}
