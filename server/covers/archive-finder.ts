// Looks in the Cover Art Archive for albums without a local cover. Never replaces a cover that was set meanwhile; a
// lookup without a result is stored with the time of the next one.
import type { MainDb } from '../db/client.ts';
import type { AlbumId } from '../db/ids.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { coverKey } from '../storage/local-paths.ts';
import type { Storage } from '../storage/storage.ts';
import type { CoverArchive } from './cover-archive.ts';
import type { PassOptions } from './nearby-finder.ts';
import type { FoundRows } from './found-rows.ts';
import { createLocks, forEachWithSignal, type Locks } from '../runtime/locks.ts';
import { createLookupRows, type Wanted } from './lookup-rows.ts';
import { checkPicture, UnusablePicture, type Cover } from './picture.ts';
import { findCoverRow, hasCoverOrNone } from './queries.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';

/** Albums looked up at the same time; the archive's client limits the rate of requests. */
const AT_ONCE = 2;
/** Ids per query, so that none takes longer than a few milliseconds. */
const ID_WINDOW = 5_000;

interface ArchiveFinderDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  storage: Storage;
  archive: CoverArchive;
  rows: FoundRows;
  locked: Locks<AlbumId>;
  highestAlbumId: () => number;
  onCover: (albumId: AlbumId) => void;
}

export function createArchiveFinder({
  db,
  log,
  now,
  storage,
  archive,
  rows,
  locked,
  highestAlbumId,
  onCover,
}: ArchiveFinderDeps) {
  const lookups = createLookupRows({ db, now });
  // tracks of an album are enriched in parallel: the second uses the answer that the first got
  const oneByOne = createLocks<AlbumId>();

  /**
   * Looks an album up if it is due. True when a cover was found, undefined while the archive is not asked after
   * failures. Throws errors of the storage, and the reason of `signal`.
   */
  const resolveFromArchive = (albumId: AlbumId, signal?: AbortSignal): Promise<boolean | undefined> =>
    oneByOne(albumId, async () => {
      const wanted = archive.isEnabled() ? lookups.find(albumId) : undefined;
      return wanted ? ask(wanted, signal) : false;
    });

  async function ask(wanted: Wanted, signal: AbortSignal | undefined): Promise<boolean | undefined> {
    const checkedAt = now();
    const answer = await archive.findFront(wanted.releaseGroupMbid, signal);
    if (answer.result === 'paused') return undefined;
    if (answer.result !== 'picture') return notFound(wanted, answer.result, 'reason' in answer ? answer.reason : null);
    const cover = await checkPicture(answer.bytes).catch((error: unknown) => {
      if (!(error instanceof UnusablePicture)) throw error;
      return error;
    });
    return cover instanceof UnusablePicture
      ? notFound(wanted, 'unusable', cover.message)
      : keep(wanted.albumId, cover, checkedAt);
  }

  function notFound(wanted: Wanted, result: 'none' | 'unusable' | 'failed', reason: string | null): false {
    lookups.note(wanted, result, reason);
    const line = {
      album_id: wanted.albumId,
      release_group: wanted.releaseGroupMbid,
      origin: 'archive',
      result,
      ...(reason !== null && { reason }),
    };
    if (result === 'none') log.debug(line, 'no cover in the archive');
    else log.warn(line, 'cover of the archive not used');
    return false;
  }

  /** False when a cover was uploaded meanwhile. */
  const keep = (albumId: AlbumId, cover: Cover, checkedAt: Date): Promise<boolean> =>
    locked(albumId, async () => {
      if (hasCoverOrNone(db, albumId)) return false;
      const key = coverKey(albumId, cover.ext);
      await storage.put(key, cover.bytes, { contentType: cover.mime });
      const isKept = await rows.insert({ albumId, key, etag: cover.etag, origin: 'archive', checkedAt });
      if (isKept) onCover(albumId);
      else if (findCoverRow(db, albumId)?.key !== key) await storage.delete(key);
      return isKept;
    });

  async function* wantedAlbums({ signal }: Omit<PassOptions, 'progress'>): AsyncGenerator<Wanted[]> {
    for (let above = 0; above < highestAlbumId(); above += ID_WINDOW) {
      await (yieldIfDue() ??
        new Promise((resolve) => {
          setImmediate(resolve);
        })); // the query takes a few milliseconds
      signal.throwIfAborted();
      yield lookups.wantedBetween(above, above + ID_WINDOW);
    }
  }

  /** Looks up all albums that are due. Throws `unavailable` while the archive is not asked after failures. */
  async function resolveWanted(options: PassOptions) {
    const { signal, progress } = options;
    const seen = new Set<AlbumId>();
    let [asked, found] = [0, 0];
    for (;;) {
      // again until no more were added meanwhile
      const fresh: AlbumId[] = [];
      if (archive.isEnabled())
        for await (const wanted of wantedAlbums(options))
          fresh.push(...wanted.map(({ albumId }) => albumId).filter((id) => !seen.has(id)));
      if (fresh.length === 0) return { albums: asked, found };
      for (const id of fresh) seen.add(id);
      const askFor = async (id: AlbumId, stop: AbortSignal): Promise<void> => {
        const isFound = await resolveFromArchive(id, stop);
        if (isFound === undefined) throw new AppError('unavailable', 'The cover archive cannot be reached right now.');
        if (isFound) found++;
        progress(++asked, seen.size);
      };
      // the first alone: after failures it shows whether the archive works again
      await forEachWithSignal(fresh.slice(0, 1), signal, 1, askFor);
      await forEachWithSignal(fresh.slice(1), signal, AT_ONCE, askFor);
    }
  }

  return {
    resolveFromArchive,
    resolveWanted,
    /** Whether any album is due for `resolveWanted`. */
    async hasWanted(options: Omit<PassOptions, 'progress'>): Promise<boolean> {
      if (!archive.isEnabled()) return false;
      for await (const wanted of wantedAlbums(options)) if (wanted.length > 0) return true;
      return false;
    },
    /** Whether a lookup without a result is due to be repeated. */
    hasDue: (): boolean => archive.isEnabled() && lookups.hasDue(),
  };
}
