// Looks in the Cover Art Archive for albums without a local cover. A cover that was set during the lookup is never
// replaced. A lookup without a result is stored with the time of the next lookup.
import type { MainDb } from '../db/client.ts';
import type { AlbumId } from '../db/ids.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { coverKey } from '../storage/local-paths.ts';
import type { Storage } from '../storage/storage.ts';
import type { CoverArchive } from './cover-archive.ts';
import type { PassOptions } from './nearby-finder.ts';
import type { CoverRowWriter } from './cover-row-writer.ts';
import { createLocks, forEachWithSignal, type Locks } from '../runtime/locks.ts';
import { createLookupRows, type DueAlbum } from './lookup-rows.ts';
import { checkPicture, UnusablePicture, type Cover } from './picture.ts';
import { findCoverRow, needsNoCover } from './queries.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';

/** Maximum number of albums that are looked up at the same time; the archive's client limits the rate of requests. */
const MAX_CONCURRENT_LOOKUPS = 2;
/** The size of the ranges of ids that are queried, so that no query takes longer than a few milliseconds. */
const IDS_PER_QUERY = 5_000;

interface ArchiveFinderDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  storage: Storage;
  archive: CoverArchive;
  rowWriter: CoverRowWriter;
  withLock: Locks<AlbumId>;
  highestAlbumId: () => number;
  onCover: (albumId: AlbumId) => void;
}

export function createArchiveFinder({
  db,
  log,
  now,
  storage,
  archive,
  rowWriter,
  withLock,
  highestAlbumId,
  onCover,
}: ArchiveFinderDeps) {
  const lookups = createLookupRows({ db, now });
  // tracks of an album are enriched in parallel, so the second lookup waits and uses the result of the first one
  const withLookupLock = createLocks<AlbumId>();

  /**
   * Looks an album up if it is due. Returns whether a cover was found. Returns undefined while no requests are sent
   * because the last ones failed. Throws errors of the storage, and the reason of `signal`.
   */
  const resolveFromArchive = (albumId: AlbumId, signal?: AbortSignal): Promise<boolean | undefined> =>
    withLookupLock(albumId, async () => {
      const dueAlbum = archive.isEnabled() ? lookups.find(albumId) : undefined;
      return dueAlbum ? lookUp(dueAlbum, signal) : false;
    });

  async function lookUp(album: DueAlbum, signal: AbortSignal | undefined): Promise<boolean | undefined> {
    const checkedAt = now();
    const answer = await archive.findFront(album.releaseGroupMbid, signal);
    if (answer.result === 'paused') return undefined;
    if (answer.result !== 'picture')
      return storeFailure(album, answer.result, 'reason' in answer ? answer.reason : null);
    const cover = await checkPicture(answer.bytes).catch((error: unknown) => {
      if (!(error instanceof UnusablePicture)) throw error;
      return error;
    });
    return cover instanceof UnusablePicture
      ? storeFailure(album, 'unusable', cover.message)
      : storeCover(album.albumId, cover, checkedAt);
  }

  function storeFailure(album: DueAlbum, result: 'none' | 'unusable' | 'failed', reason: string | null): false {
    lookups.storeFailure(album, result, reason);
    const details = {
      album_id: album.albumId,
      release_group: album.releaseGroupMbid,
      origin: 'archive',
      result,
      ...(reason !== null && { reason }),
    };
    if (result === 'none') log.debug(details, 'no cover in the archive');
    else log.warn(details, 'cannot use the cover of the archive');
    return false;
  }

  /** Stores a cover. Returns false when a cover was uploaded during the lookup. */
  const storeCover = (albumId: AlbumId, cover: Cover, checkedAt: Date): Promise<boolean> =>
    withLock(albumId, async () => {
      if (needsNoCover(db, albumId)) return false;
      const key = coverKey(albumId, cover.ext);
      await storage.put(key, cover.bytes, { contentType: cover.mime });
      const isStored = await rowWriter.insert({ albumId, key, etag: cover.etag, origin: 'archive', checkedAt });
      if (isStored) onCover(albumId);
      else if (findCoverRow(db, albumId)?.key !== key) await storage.delete(key);
      return isStored;
    });

  async function* listDueAlbums({ signal }: Omit<PassOptions, 'progress'>): AsyncGenerator<DueAlbum[]> {
    for (let lowerId = 0; lowerId < highestAlbumId(); lowerId += IDS_PER_QUERY) {
      await (yieldIfDue() ??
        new Promise((resolve) => {
          setImmediate(resolve);
        })); // lets other requests run before the query, which takes a few milliseconds
      signal.throwIfAborted();
      yield lookups.listBetween(lowerId, lowerId + IDS_PER_QUERY);
    }
  }

  /** Looks up all albums that are due. Throws `unavailable` when no requests are sent because the last ones failed. */
  async function resolveDue(options: PassOptions) {
    const { signal, progress } = options;
    const seenIds = new Set<AlbumId>();
    let [lookupCount, foundCount] = [0, 0];
    for (;;) {
      // the search is repeated until it finds no album that was added during the last one
      const newIds: AlbumId[] = [];
      if (archive.isEnabled())
        for await (const albums of listDueAlbums(options))
          newIds.push(...albums.map(({ albumId }) => albumId).filter((id) => !seenIds.has(id)));
      if (newIds.length === 0) return { albums: lookupCount, found: foundCount };
      for (const id of newIds) seenIds.add(id);
      const lookUpNext = async (id: AlbumId, stopSignal: AbortSignal): Promise<void> => {
        const isFound = await resolveFromArchive(id, stopSignal);
        if (isFound === undefined) throw new AppError('unavailable', 'The cover archive cannot be reached right now.');
        if (isFound) foundCount++;
        progress(++lookupCount, seenIds.size);
      };
      // the first album is looked up alone: after failures it shows whether the archive works again
      await forEachWithSignal(newIds.slice(0, 1), signal, 1, lookUpNext);
      await forEachWithSignal(newIds.slice(1), signal, MAX_CONCURRENT_LOOKUPS, lookUpNext);
    }
  }

  return {
    resolveFromArchive,
    resolveDue,
    /** Returns whether any album is due for `resolveDue`. */
    async hasDueAlbums(options: Omit<PassOptions, 'progress'>): Promise<boolean> {
      if (!archive.isEnabled()) return false;
      for await (const albums of listDueAlbums(options)) if (albums.length > 0) return true;
      return false;
    },
    /** Returns whether it is time to repeat a lookup that had no result. */
    hasDueRetry: (): boolean => archive.isEnabled() && lookups.hasDueRetry(),
  };
}
