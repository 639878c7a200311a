// Pictures that are not the cover of an album: of placeholders, at the URL from the catalogue; of tracks without an
// album, inside their files; and candidates for a cover. Each picture is fetched once, resized and cached. It is not
// stored as an album's cover, because then no better cover would be looked for.
import { hash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MainDb } from '../db/client.ts';
import type { AlbumId, TrackId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { tracks } from '../db/schema.ts';
import { sendBytes } from '../http/send-bytes.ts';
import { AppError } from '../errors.ts';
import { inNamedAlbum } from '../db/unknown-names.ts';
import { isAbsent } from '../storage/file-errors.ts';
import { createSlots } from '../runtime/concurrency.ts';
import { checkPicture, resizePicture, type SizedFormat, UnusablePicture } from './picture.ts';

export interface PlaceholderCoverDeps {
  db: MainDb;
  cacheDir: string;
  now: () => Date;
  /** Downloads a picture from a URL that a catalogue gave; returns undefined when that fails. */
  fetchPicture: (url: string) => Promise<Uint8Array | undefined>;
  /** Returns the picture in stored audio. Throws UnusablePicture and AppErrors. */
  readEmbedded: (storageUri: string) => Promise<Uint8Array | undefined>;
}

const SIZE_PX = 600;
const MAX_CONCURRENT_READS = 4;
const MAX_CACHED_FILES = 5_000;
const MAX_REMEMBERED_FAILURES = 2_000;
const RETRY_AFTER_MS = 600_000;
const CACHE_CONTROL = 'private, max-age=86400';

type ReadPicture = () => Promise<Uint8Array | undefined>;
type CoverUrl = RowAs<typeof tracks, 'coverUrl'>;

export type PlaceholderCovers = ReturnType<typeof createPlaceholderCovers>;

export function createPlaceholderCovers({ db, cacheDir, now, fetchPicture, readEmbedded }: PlaceholderCoverDeps) {
  const dir = join(cacheDir, 'remote-covers');
  const withSlot = createSlots(MAX_CONCURRENT_READS);
  const pendingByPath = new Map<string, Promise<void>>();
  const retryTimes = new Map<string, number>();
  const findByTrack = db.$client.prepare<[TrackId], CoverUrl & { storageUri: string | null; updatedAt: number }>(
    `SELECT cover_url AS coverUrl, updated_at AS updatedAt,
      iif(album_sort = '' AND has_picture = 1, storage_uri, NULL) AS storageUri FROM tracks WHERE id = ?`,
  );
  const findByAlbum = db.$client.prepare<[AlbumId], CoverUrl>(
    `SELECT cover_url AS coverUrl FROM tracks t WHERE album_id = ? AND cover_url IS NOT NULL AND ${inNamedAlbum('t')}
      LIMIT 1`,
  );
  let fileCount = 0;

  async function drawPicture(read: ReadPicture, path: string, format: SizedFormat): Promise<void> {
    const bytes = await read();
    if (!bytes) throw new UnusablePicture('it could not be read');
    const resized = await resizePicture((await checkPicture(Buffer.from(bytes))).bytes, SIZE_PX, format);
    await mkdir(dir, { recursive: true });
    const temp = `${path}.${randomBytes(6).toString('hex')}`;
    await writeFile(temp, resized);
    await rename(temp, path);
    if (++fileCount % 500 === 0) await deleteOldest(dir);
  }

  /**
   * Draws a picture unless it is cached. Returns false when the picture cannot be read or used; it is then not tried
   * again for ten minutes.
   */
  async function ensure(key: string, read: ReadPicture, path: string, format: SizedFormat): Promise<boolean> {
    if ((retryTimes.get(key) ?? 0) > now().getTime()) return false;
    const work =
      pendingByPath.get(path) ??
      withSlot(() => drawPicture(read, path, format)).finally(() => pendingByPath.delete(path));
    pendingByPath.set(path, work);
    try {
      await work;
      return true;
    } catch (error) {
      if (!(error instanceof UnusablePicture || error instanceof AppError)) throw error;
      if (retryTimes.size >= MAX_REMEMBERED_FAILURES) retryTimes.clear();
      retryTimes.set(key, now().getTime() + RETRY_AFTER_MS);
      return false;
    }
  }

  async function sendPicture(
    req: IncomingMessage,
    res: ServerResponse,
    { key, read }: { key: string; read: ReadPicture },
    format: SizedFormat = 'webp',
  ): Promise<boolean> {
    const name = hash('sha256', key, 'hex').slice(0, 32);
    const path = join(dir, `${name}.${format}`);
    const sendFile = (): Promise<void> =>
      sendBytes(
        req,
        res,
        { path },
        { contentType: `image/${format}`, cacheControl: CACHE_CONTROL, etag: `${name}-${format}` },
      );
    try {
      await sendFile();
      return true;
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
    if (!(await ensure(key, read, path, format))) return false;
    await sendFile();
    return true;
  }

  const sendFromUrl = (
    req: IncomingMessage,
    res: ServerResponse,
    url: string,
    format?: SizedFormat,
  ): Promise<boolean> => sendPicture(req, res, { key: url, read: () => fetchPicture(url) }, format);

  return {
    /**
     * Sends a picture, which is read only if it is not cached. `key` identifies its content. Returns false if there is
     * no picture.
     */
    sendPicture,
    /**
     * Sends the picture at a URL, which must come from a catalogue. Returns false if there is no picture; then nothing
     * was sent.
     */
    send: sendFromUrl,
    /** Sends the picture of a placeholder, or of a track without an album. */
    async sendOfTrack(req: IncomingMessage, res: ServerResponse, id: TrackId, format?: SizedFormat): Promise<boolean> {
      const { coverUrl = null, storageUri = null, updatedAt = 0 } = findByTrack.get(id) ?? {};
      if (coverUrl !== null) return sendFromUrl(req, res, coverUrl, format);
      if (storageUri === null) return false;
      // the key changes with the row, since the file may be replaced by another one with the same name
      const picture = { key: `${id} ${updatedAt} ${storageUri}`, read: () => readEmbedded(storageUri) };
      return sendPicture(req, res, picture, format);
    },
    /** Sends the picture of an album that contains a placeholder. */
    async sendOfAlbum(req: IncomingMessage, res: ServerResponse, id: AlbumId, format?: SizedFormat): Promise<boolean> {
      const url = findByAlbum.get(id)?.coverUrl;
      return url != null && sendFromUrl(req, res, url, format);
    },
  };
}

/** Deletes the oldest pictures, so that the cache has at most MAX_FILES. */
async function deleteOldest(dir: string): Promise<void> {
  const names = await readdir(dir);
  if (names.length <= MAX_CACHED_FILES) return;
  const files = await Promise.all(
    names.map(async (name) => ({ name, mtimeMs: (await stat(join(dir, name))).mtimeMs })),
  );
  for (const { name } of files.toSorted((a, b) => a.mtimeMs - b.mtimeMs).slice(0, names.length - MAX_CACHED_FILES))
    await rm(join(dir, name), { force: true });
}
