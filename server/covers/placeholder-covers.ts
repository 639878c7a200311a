// Covers of what is not here yet: the catalogue shows a picture at an address, which is fetched once, made small and
// kept in the cache. An album gets a cover of its own only from audio or the archive, so that a thumbnail never stands
// in a better one's way.
import { hash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MainDb } from '../db/client.ts';
import type { AlbumId, TrackId } from '../db/ids.ts';
import { sendBytes } from '../http/send-bytes.ts';
import { isAbsent } from '../storage/file-errors.ts';
import { createSlots } from '../runtime/at-once.ts';
import { checkPicture, resizePicture, type SizedFormat, UnusablePicture } from './picture.ts';

export interface PlaceholderCoverDeps {
  db: MainDb;
  cacheDir: string;
  now: () => Date;
  /** The picture at an address that a catalogue gave; undefined when it does not come. */
  fetchPicture: (url: string) => Promise<Uint8Array | undefined>;
}

const SIZE = 600;
const AT_ONCE = 4;
const MOST_FILES = 5_000;
const MOST_FAILURES = 2_000;
const FAILED_FOR_MS = 600_000;
const CACHE_CONTROL = 'private, max-age=86400';

export type PlaceholderCovers = ReturnType<typeof createPlaceholderCovers>;

export function createPlaceholderCovers({ db, cacheDir, now, fetchPicture }: PlaceholderCoverDeps) {
  const dir = join(cacheDir, 'remote-covers');
  const inTurn = createSlots(AT_ONCE);
  const making = new Map<string, Promise<void>>();
  const failed = new Map<string, number>();
  const findOfTrack = db.$client.prepare<[TrackId], { url: string | null }>(
    'SELECT cover_url AS url FROM tracks WHERE id = ?',
  );
  const findOfAlbum = db.$client.prepare<[AlbumId], { url: string }>(
    'SELECT cover_url AS url FROM tracks WHERE album_id = ? AND cover_url IS NOT NULL LIMIT 1',
  );
  let made = 0;

  async function make(url: string, path: string, format: SizedFormat): Promise<void> {
    const bytes = await fetchPicture(url);
    if (!bytes) throw new UnusablePicture('it could not be fetched');
    const small = await resizePicture((await checkPicture(Buffer.from(bytes))).bytes, SIZE, format);
    await mkdir(dir, { recursive: true });
    const temp = `${path}.${randomBytes(6).toString('hex')}`;
    await writeFile(temp, small);
    await rename(temp, path);
    if (++made % 500 === 0) await dropOldest(dir);
  }

  /** False when it cannot be had; it is not asked for again for a while. */
  async function ensure(url: string, path: string, format: SizedFormat): Promise<boolean> {
    if ((failed.get(url) ?? 0) > now().getTime()) return false;
    const work = making.get(path) ?? inTurn(() => make(url, path, format)).finally(() => making.delete(path));
    making.set(path, work);
    try {
      await work;
      return true;
    } catch (error) {
      if (!(error instanceof UnusablePicture)) throw error;
      if (failed.size >= MOST_FAILURES) failed.clear();
      failed.set(url, now().getTime() + FAILED_FOR_MS);
      return false;
    }
  }

  async function send(
    req: IncomingMessage,
    res: ServerResponse,
    url: string,
    format: SizedFormat = 'webp',
  ): Promise<boolean> {
    const name = hash('sha256', url, 'hex').slice(0, 32);
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
    if (!(await ensure(url, path, format))) return false;
    await answer();
    return true;
  }

  return {
    /** False when there is no such picture, and nothing was sent. `url` is one that a catalogue gave. */
    send,
    /** Of a track that was saved from the catalogue. */
    async sendOfTrack(req: IncomingMessage, res: ServerResponse, id: TrackId, format?: SizedFormat): Promise<boolean> {
      const url = findOfTrack.get(id)?.url;
      return url != null && send(req, res, url, format);
    },
    /** Of an album that holds such a track. */
    async sendOfAlbum(req: IncomingMessage, res: ServerResponse, id: AlbumId, format?: SizedFormat): Promise<boolean> {
      const url = findOfAlbum.get(id)?.url;
      return url !== undefined && send(req, res, url, format);
    },
  };
}

/** Keeps the folder from growing for ever. */
async function dropOldest(dir: string): Promise<void> {
  const names = await readdir(dir);
  if (names.length <= MOST_FILES) return;
  const dated = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(dir, name))).mtimeMs })));
  for (const { name } of dated.toSorted((a, b) => a.at - b.at).slice(0, names.length - MOST_FILES))
    await rm(join(dir, name), { force: true });
}
