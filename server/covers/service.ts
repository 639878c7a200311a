// Covers of albums: found once, never overwritten by a later find, replaced only by a person (interface, Enrichment rule 4).
import { AppError, messageOf, notFound } from '../errors.ts';
import type { MainDb } from '../db/client.ts';
import type { AlbumId } from '../db/ids.ts';
import type { BytesSource } from '../http/send-bytes.ts';
import type { Log } from '../log/log.ts';
import { coverKey } from '../storage/local-paths.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import type { Storage } from '../storage/storage.ts';
import { readAll } from './candidates.ts';
import { createEmbeddedPictures } from './embedded-pictures.ts';
import { createFoundRows } from './found-rows.ts';
import { createCoverFinder } from './finder.ts';
import { createLocks } from './locks.ts';
import { checkPicture } from './picture.ts';
import { findCoverRow, hasAlbum, prepareFindCovers, upsertCover, type CoverRow, type StoredCover } from './queries.ts';
import { createThumbnails } from './thumbnails.ts';

export interface CoverServiceDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  storage: Storage;
  audioStore: AudioStore;
  /** Sizes are kept in `covers/` below it. */
  cacheDir: string;
  /** cover-worker, in the source tree or in the bundle. */
  workerUrl: URL;
  /** Told when an album's cover came, changed or went. */
  onCover: (albumId: AlbumId) => void;
}

export type CoverService = ReturnType<typeof createCoverService>;

export function createCoverService({ db, log, now, storage, audioStore, cacheDir, workerUrl, onCover }: CoverServiceDeps) {
  const embedded = createEmbeddedPictures({ workerUrl });
  const rows = createFoundRows(db);
  const locked = createLocks<AlbumId>(); // a find must not write over what a person uploads at the same moment
  const finder = createCoverFinder({ db, log, now, storage, audioStore, embedded, rows, locked, onCover });
  const thumbnails = createThumbnails({ cacheDir, readOriginal });

  async function readOriginal({ key }: StoredCover): Promise<Buffer> {
    return readAll((await storage.open(key)).stream);
  }

  async function replace(row: CoverRow, store: () => Promise<void>): Promise<void> {
    if (!hasAlbum(db, row.albumId)) throw notFound('album', row.albumId);
    const before = findCoverRow(db, row.albumId)?.key ?? null;
    await store();
    upsertCover(db, row);
    if (before !== null && before !== row.key) await storage.delete(before);
    await thumbnails.forget(row.albumId);
    onCover(row.albumId);
  }

  return {
    ...finder,
    find: prepareFindCovers(db),
    thumbnails,

    /** The picture as it was stored; the storage's `not_found` when it is gone. */
    original(cover: StoredCover): BytesSource {
      const path = storage.localPath(cover.key);
      if (path !== undefined) return { path };
      return {
        open: (range) => storage.open(cover.key, range),
        async stat() {
          const found = await storage.stat(cover.key);
          if (!found) throw notFound('cover');
          return found;
        },
      };
    },

    /** What a person chose, over anything found. Throws `not_found`, `unsupported_type`. */
    async setCover(albumId: AlbumId, bytes: Buffer): Promise<void> {
      const cover = await checkPicture(bytes).catch((cause: unknown) => {
        throw new AppError('unsupported_type', `This cannot be a cover: ${messageOf(cause)}.`, { cause });
      });
      const key = coverKey(albumId, cover.ext);
      await locked(albumId, () => replace({ albumId, key, etag: cover.etag, origin: 'manual', checkedAt: now() }, async () => {
        await storage.put(key, cover.bytes, { contentType: cover.mime });
      }));
    },

    /** The album has no cover from now on, and none is looked for. Throws `not_found` when there is no such album. */
    removeCover: (albumId: AlbumId): Promise<void> =>
      locked(albumId, () => replace({ albumId, key: null, etag: null, origin: 'manual', checkedAt: now() }, () => Promise.resolve())),

    async close(): Promise<void> {
      rows.flush();
      await embedded.close();
    },
  };
}
