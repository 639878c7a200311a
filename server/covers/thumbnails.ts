// Covers and mosaics in the sizes of the pages, drawn on first use and kept in the cache, in a folder per album, artist
// or playlist. Whoever asks first does not wait until it is on disk.
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AlbumId } from '../db/ids.ts';
import type { Log } from '../log/log.ts';
import { createSlots } from '../runtime/concurrency.ts';
import { isMosaic, makeMosaic, type ShownCover } from './mosaic.ts';
import { resizePicture, type SizedFormat } from './picture.ts';
import type { StoredPicture } from './queries.ts';

/** Decoding uses the thread pool that file reads need too. */
const MAX_AT_ONCE = 2;

interface ThumbnailDeps {
  cacheDir: string;
  log: Log;
  readOriginal: (cover: StoredPicture) => Promise<Buffer>;
}

export type Thumbnails = ReturnType<typeof createThumbnails>;

export function createThumbnails({ cacheDir, log, readOriginal }: ThumbnailDeps) {
  /** By path, until they are in the cache. */
  const drawn = new Map<string, { bytes: Promise<Buffer>; kept: Promise<void> }>();
  const [drawingSlots, writingSlots] = [createSlots(MAX_AT_ONCE), createSlots(MAX_AT_ONCE)];

  const folderOf = (name: AlbumId | string): string => join(cacheDir, 'covers', String(name));
  const pathOf = (cover: ShownCover, size: number, format: SizedFormat = 'webp'): string =>
    join(
      folderOf('owner' in cover ? cover.owner : cover.albumId),
      `${cover.etag}-${size}.${format === 'jpeg' ? 'jpg' : format}`,
    );

  const drawNow = (cover: ShownCover, size: number, format: SizedFormat): Promise<Buffer> =>
    drawingSlots(async () =>
      isMosaic(cover)
        ? makeMosaic(cover, size, format, readOriginal)
        : resizePicture(await readOriginal(cover), size, format),
    );

  const keep = (cover: ShownCover, path: string, bytes: Buffer): Promise<void> =>
    writingSlots(async () => {
      try {
        await writeWhole(path, bytes);
        if ('owner' in cover) await deleteOthers(dirname(path), cover.etag);
      } catch (error) {
        log.warn({ path, err: error }, 'a cover was not kept in the cache, and will be drawn again');
      }
    });

  const allKept = async (isMeant: (path: string) => boolean): Promise<void> =>
    void (await Promise.all([...drawn].flatMap(([path, { kept }]) => (isMeant(path) ? kept : []))));

  return {
    pathOf,
    /**
     * For a size that is not in the cache yet. Draws it once, also for concurrent calls, and keeps it. Throws
     * UnusablePicture and errors of `readOriginal`.
     */
    draw(cover: ShownCover, size: number, format: SizedFormat = 'webp'): Promise<Buffer> {
      const path = pathOf(cover, size, format);
      const before = drawn.get(path);
      if (before) return before.bytes;
      const bytes = drawNow(cover, size, format);
      const kept = bytes
        .then((picture) => keep(cover, path, picture))
        .catch(() => undefined) // the caller has the error
        .finally(() => drawn.delete(path));
      drawn.set(path, { bytes, kept });
      return bytes;
    },
    /** After a cover was replaced or removed. */
    async forget(albumId: AlbumId): Promise<void> {
      const folder = folderOf(albumId);
      await allKept((path) => dirname(path) === folder);
      await rm(folder, { recursive: true, force: true });
    },
    /** Resolves when everything drawn is in the cache. */
    flush: (): Promise<void> => allKept(() => true),
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
