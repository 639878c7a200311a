// Looks for the covers of albums near by, inside their audio and beside it: once per album, again only after it
// changed.
import { AppError } from '../errors.ts';
import type { MainDb } from '../db/client.ts';
import type { AlbumId } from '../db/ids.ts';
import type { YieldToRequests } from '../jobs/yield-to-requests.ts';
import type { Log } from '../log/log.ts';
import { coverKey } from '../storage/local-paths.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import type { Storage } from '../storage/storage.ts';
import { isOutOfReach, listCandidates, type Candidate } from './nearby-pictures.ts';
import type { EmbeddedPictures } from './embedded-pictures.ts';
import type { FoundRows } from './found-rows.ts';
import { workTogether, type Locks } from './locks.ts';
import { createSlots } from '../runtime/at-once.ts';
import { checkPicture, UnusablePicture, type Cover } from './picture.ts';
import { findCoverRow, hasCoverOrNone, type CoverRow, type CoverSources } from './queries.ts';

/** Albums whose pictures are read and stored at the same time; syncing to disk takes threads that streams need too. */
const AT_ONCE = 3;
/** Albums under way, most of them waiting for the commit that they share. */
const UNDER_WAY = 48;
/** Ids per look for pending albums, so that none takes longer than a few milliseconds. */
const ID_WINDOW = 5_000;

/** How a pass over all albums is told to stop, tells how far it is, and lets others have their turn. */
export interface PassOptions {
  signal: AbortSignal;
  progress: (done: number, total: number) => void;
  yieldToRequests: YieldToRequests;
}

export interface CoverFinderDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  storage: Storage;
  audioStore: AudioStore;
  sources: CoverSources;
  embedded: EmbeddedPictures;
  rows: FoundRows;
  locked: Locks<AlbumId>;
  onCover: (albumId: AlbumId) => void;
}

export function createCoverFinder({
  db,
  log,
  now,
  storage,
  audioStore,
  sources,
  embedded,
  rows,
  locked,
  onCover,
}: CoverFinderDeps) {
  const inTurn = createSlots(AT_ONCE);

  async function resolveNow(albumId: AlbumId, checkedAt: Date, signal: AbortSignal | undefined): Promise<boolean> {
    if (hasCoverOrNone(db, albumId) || sources.isLookedAt(albumId)) return false;
    const found = await inTurn(() => storeFirst(albumId, checkedAt, signal));
    if (found === undefined) return false;
    const isKept = await rows.insert(found);
    if (found.key === null) return false;
    if (isKept) onCover(albumId);
    else if (findCoverRow(db, albumId)?.key !== found.key) await storage.delete(found.key);
    return isKept;
  }

  /**
   * Stores the first picture that is usable. The row to write, without a key when there is none; undefined when that is
   * not sure.
   */
  async function storeFirst(
    albumId: AlbumId,
    checkedAt: Date,
    signal: AbortSignal | undefined,
  ): Promise<CoverRow | undefined> {
    let isSure = true;
    for (const candidate of listCandidates(albumId, { sources, audioStore, embedded })) {
      signal?.throwIfAborted();
      const cover = await tryRead(albumId, candidate).catch((error: unknown) => {
        if (!isOutOfReach(error)) throw error;
        isSure = false;
        return undefined;
      });
      if (!cover) continue;
      const key = coverKey(albumId, cover.ext);
      await storage.put(key, cover.bytes, { contentType: cover.mime });
      return { albumId, key, etag: cover.etag, origin: candidate.origin, checkedAt };
    }
    return isSure ? noneFound(albumId, checkedAt) : undefined;
  }

  /** A picture that is no use is one line in the log, and the next one is tried. */
  async function tryRead(albumId: AlbumId, candidate: Candidate): Promise<Cover | undefined> {
    try {
      const bytes = await candidate.read();
      return bytes && (await checkPicture(bytes));
    } catch (error) {
      if (!(error instanceof UnusablePicture)) throw error;
      log.warn({ album_id: albumId, origin: candidate.origin, reason: error.message }, 'picture not used as a cover');
      return undefined;
    }
  }

  async function pendingAlbums({ signal, yieldToRequests }: PassOptions): Promise<AlbumId[]> {
    const found: AlbumId[] = [];
    for (let above = 0; above < sources.highestAlbumId(); above += ID_WINDOW) {
      await (yieldToRequests() ??
        new Promise((resolve) => {
          setImmediate(resolve);
        })); // a look takes a few milliseconds
      signal.throwIfAborted();
      found.push(...sources.pendingBetween(above, above + ID_WINDOW));
    }
    return found;
  }

  /**
   * Looks for a cover near by if the album has none; true when one was found. Throws only what keeps it from looking at
   * any album: `storage_full`, `unavailable`, the abort of `signal`. What could not be read for now is looked at again
   * another time; any other failure counts as nothing found.
   */
  async function resolveNearby(albumId: AlbumId, signal?: AbortSignal): Promise<boolean> {
    const checkedAt = now();
    try {
      return await locked(albumId, () => resolveNow(albumId, checkedAt, signal));
    } catch (error) {
      if (error instanceof AppError || signal?.aborted) throw error;
      log.warn({ album_id: albumId, err: error }, 'looking for a cover failed');
      await rows.insert(noneFound(albumId, checkedAt));
      return false;
    }
  }

  /**
   * Works through the albums that were not looked at, or that changed since nothing was found. Throws as
   * `resolveNearby` does.
   */
  async function resolvePending(options: PassOptions) {
    const { signal, progress, yieldToRequests } = options;
    const seen = new Set<AlbumId>();
    let [done, found] = [0, 0];
    for (;;) {
      // until no new ones came meanwhile
      const ids = (await pendingAlbums(options)).filter((id) => !seen.has(id));
      if (ids.length === 0) return { albums: seen.size, found };
      for (const id of ids) seen.add(id);
      await workTogether(ids, signal, UNDER_WAY, async (id, stop) => {
        if (await resolveNearby(id, stop)) found++;
        progress(++done, seen.size);
        await yieldToRequests();
      });
    }
  }

  return { resolveNearby, resolvePending };
}

const noneFound = (albumId: AlbumId, checkedAt: Date): CoverRow => ({
  albumId,
  key: null,
  etag: null,
  origin: null,
  checkedAt,
});
