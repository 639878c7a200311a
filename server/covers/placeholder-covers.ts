// Pictures that are not the cover of an album: of placeholders, at the URL that the catalogue gave, of tracks without
// an album, inside their files, and those to choose a cover from. Each is fetched once, resized and cached. It is not
// stored as an album's cover, because that would prevent finding a better one.
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
  /** Downloads a picture from a URL that a catalogue gave; undefined when that fails. */
  fetchPicture: (url: string) => Promise<Uint8Array | undefined>;
  /** Reads the picture in stored audio. Throws UnusablePicture and AppErrors. */
  readEmbedded: (storageUri: string) => Promise<Uint8Array | undefined>;
}

const SIZE = 600;
const AT_ONCE = 4;
const MAX_FILES = 5_000;
const MAX_FAILURES = 2_000;
const FAILED_FOR_MS = 600_000;
const CACHE_CONTROL = 'private, max-age=86400';

type ReadPicture = () => Promise<Uint8Array | undefined>;
type CoverUrl = RowAs<typeof tracks, 'coverUrl'>;

export type PlaceholderCovers = ReturnType<typeof createPlaceholderCovers>;

export function createPlaceholderCovers({ db, cacheDir, now, fetchPicture, readEmbedded }: PlaceholderCoverDeps) {
  const dir = join(cacheDir, 'remote-covers');
  const inTurn = createSlots(AT_ONCE);
  const making = new Map<string, Promise<void>>();
  const failed = new Map<string, number>();
  const findOfTrack = db.$client.prepare<[TrackId], CoverUrl & { storageUri: string | null; updatedAt: number }>(
    `SELECT cover_url AS coverUrl, updated_at AS updatedAt,
      iif(album_sort = '' AND has_picture = 1, storage_uri, NULL) AS storageUri FROM tracks WHERE id = ?`,
  );
  const findOfAlbum = db.$client.prepare<[AlbumId], CoverUrl>(
    `SELECT cover_url AS coverUrl FROM tracks t WHERE album_id = ? AND cover_url IS NOT NULL AND ${inNamedAlbum('t')}
      LIMIT 1`,
  );
  let made = 0;

  async function make(read: ReadPicture, path: string, format: SizedFormat): Promise<void> {
    const bytes = await read();
    if (!bytes) throw new UnusablePicture('it could not be read');
    const small = await resizePicture((await checkPicture(Buffer.from(bytes))).bytes, SIZE, format);
    await mkdir(dir, { recursive: true });
    const temp = `${path}.${randomBytes(6).toString('hex')}`;
    await writeFile(temp, small);
    await rename(temp, path);
    if (++made % 500 === 0) await dropOldest(dir);
  }

  /** False when it cannot be downloaded or used; then it is not tried again for ten minutes. */
  async function ensure(key: string, read: ReadPicture, path: string, format: SizedFormat): Promise<boolean> {
    if ((failed.get(key) ?? 0) > now().getTime()) return false;
    const work = making.get(path) ?? inTurn(() => make(read, path, format)).finally(() => making.delete(path));
    making.set(path, work);
    try {
      await work;
      return true;
    } catch (error) {
      if (!(error instanceof UnusablePicture || error instanceof AppError)) throw error;
      if (failed.size >= MAX_FAILURES) failed.clear();
      failed.set(key, now().getTime() + FAILED_FOR_MS);
      return false;
    }
  }

  async function sendRead(
    req: IncomingMessage,
    res: ServerResponse,
    { key, read }: { key: string; read: ReadPicture },
    format: SizedFormat = 'webp',
  ): Promise<boolean> {
    const name = hash('sha256', key, 'hex').slice(0, 32);
    const path = join(dir, `${name}.${format}`);
    const answer = (): Promise<void> =>
      sendBytes(
        req,
        res,
        { path },
        { contentType: `image/${format}`, cacheControl: CACHE_CONTROL, etag: `${name}-${format}` },
      );
    try {
      await answer();
      return true;
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
    if (!(await ensure(key, read, path, format))) return false;
    await answer();
    return true;
  }

  const send = (req: IncomingMessage, res: ServerResponse, url: string, format?: SizedFormat): Promise<boolean> =>
    sendRead(req, res, { key: url, read: () => fetchPicture(url) }, format);

  return {
    /** A picture that is read when it is not in the cache; `key` names its content. False when nothing was sent. */
    sendRead,
    /** False when there is no picture and nothing was sent. `url` must come from a catalogue. */
    send,
    /** The picture of a placeholder, or of a track without an album. */
    async sendOfTrack(req: IncomingMessage, res: ServerResponse, id: TrackId, format?: SizedFormat): Promise<boolean> {
      const { coverUrl = null, storageUri = null, updatedAt = 0 } = findOfTrack.get(id) ?? {};
      if (coverUrl !== null) return send(req, res, coverUrl, format);
      if (storageUri === null) return false;
      // the file may be replaced by another with the same name
      const own = { key: `${id} ${updatedAt} ${storageUri}`, read: () => readEmbedded(storageUri) };
      return sendRead(req, res, own, format);
    },
    /** The picture of an album with a placeholder. */
    async sendOfAlbum(req: IncomingMessage, res: ServerResponse, id: AlbumId, format?: SizedFormat): Promise<boolean> {
      const url = findOfAlbum.get(id)?.coverUrl;
      return url != null && send(req, res, url, format);
    },
  };
}

/** Limits the cache to MAX_FILES. */
async function dropOldest(dir: string): Promise<void> {
  const names = await readdir(dir);
  if (names.length <= MAX_FILES) return;
  const dated = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(dir, name))).mtimeMs })));
  for (const { name } of dated.toSorted((a, b) => a.at - b.at).slice(0, names.length - MAX_FILES))
    await rm(join(dir, name), { force: true });
}
