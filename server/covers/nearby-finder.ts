// Looks for the covers of albums in their audio files and folders: once per album, and again after it changed.
import { extname } from 'node:path';
import { AppError, asKnownFault } from '../errors.ts';
import type { MainDb } from '../db/client.ts';
import type { AlbumId } from '../db/ids.ts';
import type { Log } from '../log/log.ts';
import { coverKey } from '../storage/local-paths.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import type { Storage } from '../storage/storage.ts';
import { isOutOfReach, listCandidates, readAll, type Candidate } from './nearby-pictures.ts';
import type { EmbeddedPictures } from './embedded-pictures.ts';
import type { FormerCover, FormerCovers } from './former-covers.ts';
import type { FoundRows } from './found-rows.ts';
import { forEachWithSignal, type Locks } from '../runtime/locks.ts';
import { createSlots } from '../runtime/concurrency.ts';
import { checkPicture, PictureNotRead, UnusablePicture, type Cover } from './picture.ts';
import { findCoverRow, hasCoverOrNone, type CoverRow, type CoverSources } from './queries.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';

/** Albums whose pictures are read and stored at a time; writing uses the thread pool that streams need too. */
const AT_ONCE = 3;
/** Albums in progress, most of which wait for their shared commit. */
const IN_PROGRESS = 48;
/** Attempts that fail before an album counts as one without a picture, until it changes. */
const MOST_FAILURES = 3;
/** Ids per query, so that none takes longer than a few milliseconds. */
const ID_WINDOW = 5_000;

/** Options of a pass over all albums. */
export interface PassOptions {
  signal: AbortSignal;
  progress: (done: number, total: number) => void;
}

interface CoverFinderDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  storage: Storage;
  audioStore: AudioStore;
  sources: CoverSources;
  former: Pick<FormerCovers, 'find' | 'drop'>;
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
  former,
  embedded,
  rows,
  locked,
  onCover,
}: CoverFinderDeps) {
  const inTurn = createSlots(AT_ONCE);
  const failures = new Map<AlbumId, number>();

  /** A file that makes every attempt fail is not tried for ever. Counts this attempt. */
  function hasFailedOften(albumId: AlbumId): boolean {
    const times = (failures.get(albumId) ?? 0) + 1;
    failures.set(albumId, times);
    return times >= MOST_FAILURES;
  }

  async function resolveNow(albumId: AlbumId, checkedAt: Date, signal: AbortSignal | undefined): Promise<boolean> {
    if (hasCoverOrNone(db, albumId) || sources.isLookedAt(albumId)) return false;
    const before = former.find(albumId);
    const chosen = before && (await inTurn(() => takeOver(albumId, before, checkedAt)));
    const found = chosen ?? (await inTurn(() => storeFirst(albumId, checkedAt, signal)));
    if (found === undefined) return false;
    const isKept = await rows.insert(found);
    if (before) former.drop(before);
    if (found.key === null) return false;
    if (isKept) onCover(albumId);
    else if (findCoverRow(db, albumId)?.key !== found.key) await storage.delete(found.key);
    return isKept;
  }

  /** What a person chose when the album had tracks before; undefined when the picture is gone. */
  async function takeOver(
    albumId: AlbumId,
    { key: from, etag }: FormerCover,
    checkedAt: Date,
  ): Promise<CoverRow | undefined> {
    const row = { albumId, etag, origin: 'manual' as const, checkedAt };
    if (from === null) return { ...row, key: null };
    const key = coverKey(albumId, extname(from).slice(1));
    if (from === key) return (await storage.stat(from)) && { ...row, key };
    try {
      const bytes = await readAll((await storage.open(from)).stream);
      await storage.put(key, bytes, { contentType: (await checkPicture(bytes)).mime });
      return { ...row, key };
    } catch (error) {
      if (error instanceof UnusablePicture || (error instanceof AppError && error.code === 'not_found'))
        return undefined;
      throw error;
    }
  }

  /**
   * Stores the first usable picture and returns the row to write, without a key when there is no picture; undefined
   * when a file could not be read now.
   */
  async function storeFirst(
    albumId: AlbumId,
    checkedAt: Date,
    signal: AbortSignal | undefined,
  ): Promise<CoverRow | undefined> {
    let [isSure, isCutOff] = [true, false];
    for (const candidate of listCandidates(albumId, { sources, audioStore, embedded })) {
      signal?.throwIfAborted();
      const cover = await tryRead(albumId, candidate).catch((error: unknown) => {
        if (error instanceof PictureNotRead) isCutOff = true;
        else if (isOutOfReach(error)) isSure = false;
        else throw error;
        return undefined;
      });
      if (!cover) continue;
      const key = coverKey(albumId, cover.ext);
      await storage.put(key, cover.bytes, { contentType: cover.mime });
      return { albumId, key, etag: cover.etag, origin: candidate.origin, checkedAt };
    }
    if (isCutOff && !hasFailedOften(albumId)) return undefined;
    return isSure ? noneFound(albumId, checkedAt) : undefined;
  }

  /** Undefined for an unusable picture, which is logged. */
  async function tryRead(albumId: AlbumId, candidate: Candidate): Promise<Cover | undefined> {
    try {
      const bytes = await candidate.read();
      return bytes && (await checkPicture(bytes));
    } catch (error) {
      if (!(error instanceof UnusablePicture) || error instanceof PictureNotRead) throw error;
      log.warn({ album_id: albumId, origin: candidate.origin, reason: error.message }, 'picture not used as a cover');
      return undefined;
    }
  }

  async function pendingAlbums({ signal }: PassOptions): Promise<AlbumId[]> {
    const found: AlbumId[] = [];
    for (let above = 0; above < sources.highestAlbumId(); above += ID_WINDOW) {
      await (yieldIfDue() ??
        new Promise((resolve) => {
          setImmediate(resolve);
        })); // the query takes a few milliseconds
      signal.throwIfAborted();
      found.push(...sources.pendingBetween(above, above + ID_WINDOW));
    }
    return found;
  }

  /**
   * Looks for a local cover if the album has none; true when one was found. Throws only what would stop it for any
   * album: `storage_full`, `unavailable`, the reason of `signal`. An album with files that are out of reach stays
   * pending, also after any other failure, until there were several.
   */
  async function resolveNearby(albumId: AlbumId, signal?: AbortSignal): Promise<boolean> {
    const checkedAt = now();
    try {
      return await locked(albumId, () => resolveNow(albumId, checkedAt, signal));
    } catch (error) {
      if (asKnownFault(error) || signal?.aborted) throw error;
      log.warn({ album_id: albumId, err: error }, 'looking for a cover failed');
      if (hasFailedOften(albumId)) await rows.insert(noneFound(albumId, checkedAt));
      return false;
    }
  }

  /** Does so for all albums that are new, or changed since nothing was found. Throws like `resolveNearby`. */
  async function resolvePending(options: PassOptions) {
    const { signal, progress } = options;
    /** By album, the chosen cover that waited for it when it was looked at. */
    const seen = new Map<AlbumId, FormerCover['id'] | undefined>();
    let [done, total, found] = [0, 0, 0];
    for (;;) {
      // again until no more were added meanwhile, and none that was looked at got a chosen cover since
      const ids = (await pendingAlbums(options)).filter((id) => !seen.has(id) || seen.get(id) !== former.find(id)?.id);
      if (ids.length === 0) return { albums: seen.size, found };
      total += ids.length;
      await forEachWithSignal(ids, signal, IN_PROGRESS, async (id, stop) => {
        seen.set(id, former.find(id)?.id);
        if (await resolveNearby(id, stop)) found++;
        progress(++done, total);
        await yieldIfDue();
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
