// Looks for the covers of albums in their audio files and folders: once per album, and again after the album changed.
import { extname } from 'node:path';
import { AppError, asKnownFault } from '../errors.ts';
import type { MainDb } from '../db/client.ts';
import type { AlbumId } from '../db/ids.ts';
import type { Log } from '../log/log.ts';
import { coverKey } from '../storage/local-paths.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import type { Storage } from '../storage/storage.ts';
import { isOutOfReach, listNearbyPictures, readAll, type NearbyPicture } from './nearby-pictures.ts';
import type { EmbeddedPictures } from './embedded-pictures.ts';
import type { FormerCover, FormerCovers } from './former-covers.ts';
import type { CoverRowWriter } from './cover-row-writer.ts';
import { forEachWithSignal, type Locks } from '../runtime/locks.ts';
import { createSlots } from '../runtime/concurrency.ts';
import { checkPicture, PictureNotRead, UnusablePicture, type Cover } from './picture.ts';
import { findCoverRow, needsNoCover, type CoverRow, type CoverSources } from './queries.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';
import { bindContext } from '../runtime/bind-context.ts';

/**
 * Maximum number of albums whose pictures are read and stored at the same time. Writing uses the thread pool that
 * streams need, too.
 */
const MAX_CONCURRENT_READS = 3;
/** Maximum number of albums in progress, most of which wait for their shared commit. */
const MAX_ALBUMS_IN_PROGRESS = 48;
/** After this many failed attempts an album counts as having no picture, until it changes. */
const MAX_FAILURES = 3;
/** The size of the ranges of ids that are queried, so that no query takes longer than a few milliseconds. */
const IDS_PER_QUERY = 5_000;

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
  formerCovers: Pick<FormerCovers, 'find' | 'findOfOrigin' | 'delete'>;
  embedded: EmbeddedPictures;
  rowWriter: CoverRowWriter;
  withLock: Locks<AlbumId>;
  onCover: (albumId: AlbumId) => void;
}

export function createCoverFinder(deps: CoverFinderDeps) {
  const context = createContext(deps);

  return bindContext(context, { resolveNearby, resolvePending });
}

type Context = ReturnType<typeof createContext>;

function createContext({
  db,
  log,
  now,
  storage,
  audioStore,
  sources,
  formerCovers,
  embedded,
  rowWriter,
  withLock,
  onCover,
}: CoverFinderDeps) {
  const withReadSlot = createSlots(MAX_CONCURRENT_READS);
  const failures = new Map<AlbumId, number>();
  return {
    db,
    log,
    now,
    storage,
    audioStore,
    sources,
    formerCovers,
    embedded,
    rowWriter,
    withLock,
    onCover,
    withReadSlot,
    failures,
  };
}

/**
 * Counts a failed attempt. Returns true at the limit, so that an album with a file that always fails is not tried for
 * ever.
 */
function countFailure(context: Context, albumId: AlbumId): boolean {
  const count = (context.failures.get(albumId) ?? 0) + 1;
  context.failures.set(albumId, count);
  return count >= MAX_FAILURES;
}

async function resolveLocked(
  context: Context,
  albumId: AlbumId,
  checkedAt: Date,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (needsNoCover(context.db, albumId) || context.sources.isChecked(albumId)) return false;
  const formerCover = context.formerCovers.find(albumId);
  const row = await context.withReadSlot(async () => {
    const restoreCover = () => formerCover && restoreFormer(context, albumId, formerCover, checkedAt);
    if (formerCover?.foundIn === null) return (await restoreCover()) ?? storeFirst(context, albumId, checkedAt, signal);
    const foundRow = await storeFirst(context, albumId, checkedAt, signal);
    if (foundRow?.key != null) return foundRow;
    return (await restoreCover()) ?? (await copyOfOrigin(context, albumId, checkedAt)) ?? foundRow;
  });
  if (row === undefined) return false;
  const isStored = await context.rowWriter.insert(row);
  if (formerCover) context.formerCovers.delete(formerCover);
  if (row.key === null) return false;
  if (isStored) context.onCover(albumId);
  else if (findCoverRow(context.db, albumId)?.key !== row.key) await context.storage.delete(row.key);
  return isStored;
}

/**
 * Restores the cover that the album had when it had tracks before. Returns undefined if the picture no longer exists.
 */
async function restoreFormer(
  context: Context,
  albumId: AlbumId,
  { key: formerKey, etag, foundIn }: FormerCover,
  checkedAt: Date,
): Promise<CoverRow | undefined> {
  const row = { albumId, etag, origin: foundIn ?? ('manual' as const), checkedAt };
  if (formerKey === null) return { ...row, key: null };
  if (formerKey !== coverKey(albumId, extname(formerKey).slice(1))) return copyPicture(context, formerKey, row);
  return (await context.storage.stat(formerKey)) && { ...row, key: formerKey };
}

/** Copies the cover of the album from which most tracks came. Returns undefined if it has none. */
async function copyOfOrigin(context: Context, albumId: AlbumId, checkedAt: Date): Promise<CoverRow | undefined> {
  const cover = context.formerCovers.findOfOrigin(albumId);
  return cover && copyPicture(context, cover.key, { albumId, etag: cover.etag, origin: 'folder', checkedAt });
}

/** Copies a stored picture for another album. Returns undefined if the picture no longer exists. */
async function copyPicture(
  context: Context,
  formerKey: string,
  row: Omit<CoverRow, 'key'>,
): Promise<CoverRow | undefined> {
  const key = coverKey(row.albumId, extname(formerKey).slice(1));
  try {
    const bytes = await readAll((await context.storage.open(formerKey)).stream);
    await context.storage.put(key, bytes, { contentType: (await checkPicture(bytes)).mime });
    return { ...row, key };
  } catch (error) {
    if (error instanceof UnusablePicture || (error instanceof AppError && error.code === 'not_found')) return undefined;
    throw error;
  }
}

/**
 * Stores the first usable picture and returns the row to write; the row has no key when there is no picture. Returns
 * undefined when a file cannot be read at present.
 */
async function storeFirst(
  context: Context,
  albumId: AlbumId,
  checkedAt: Date,
  signal: AbortSignal | undefined,
): Promise<CoverRow | undefined> {
  let [isComplete, wasCutOff] = [true, false];
  for await (const candidate of listNearbyPictures(albumId, {
    sources: context.sources,
    audioStore: context.audioStore,
    embedded: context.embedded,
  })) {
    signal?.throwIfAborted();
    const cover = await tryRead(context, albumId, candidate).catch((error: unknown) => {
      if (error instanceof PictureNotRead) wasCutOff = true;
      else if (isOutOfReach(error)) isComplete = false;
      else throw error;
      return undefined;
    });
    if (!cover) continue;
    const key = coverKey(albumId, cover.ext);
    await context.storage.put(key, cover.bytes, { contentType: cover.mime });
    return { albumId, key, etag: cover.etag, origin: candidate.origin, checkedAt };
  }
  if (wasCutOff && !countFailure(context, albumId)) return undefined;
  return isComplete ? rowWithoutCover(albumId, checkedAt) : undefined;
}

/** Reads a picture. Returns undefined for an unusable picture, and logs the reason. */
async function tryRead(context: Context, albumId: AlbumId, candidate: NearbyPicture): Promise<Cover | undefined> {
  try {
    const bytes = await candidate.read();
    return bytes && (await checkPicture(bytes));
  } catch (error) {
    if (!(error instanceof UnusablePicture) || error instanceof PictureNotRead) throw error;
    context.log.warn(
      { album_id: albumId, origin: candidate.origin, reason: error.message },
      'cannot use a picture as a cover',
    );
    return undefined;
  }
}

async function listPendingAlbums(context: Context, { signal }: PassOptions): Promise<AlbumId[]> {
  const ids: AlbumId[] = [];
  for (let lowerId = 0; lowerId < context.sources.highestAlbumId(); lowerId += IDS_PER_QUERY) {
    await (yieldIfDue() ??
      new Promise((resolve) => {
        setImmediate(resolve);
      })); // lets other requests run before the query, which takes a few milliseconds
    signal.throwIfAborted();
    ids.push(...context.sources.pendingBetween(lowerId, lowerId + IDS_PER_QUERY));
  }
  return ids;
}

/**
 * Looks for a local cover if the album has none; returns whether one was found. Throws only errors that affect all
 * albums: `storage_full`, `unavailable`, the reason of `signal`. An album stays pending while its files are out of
 * reach. After any other failure it stays pending until several attempts have failed.
 */
async function resolveNearby(context: Context, albumId: AlbumId, signal?: AbortSignal): Promise<boolean> {
  const checkedAt = context.now();
  try {
    return await context.withLock(albumId, () => resolveLocked(context, albumId, checkedAt, signal));
  } catch (error) {
    if (asKnownFault(error) || signal?.aborted) throw error;
    context.log.warn({ album_id: albumId, err: error }, 'cannot look for a cover');
    if (countFailure(context, albumId)) await context.rowWriter.insert(rowWithoutCover(albumId, checkedAt));
    return false;
  }
}

/**
 * Looks for local covers of all albums that are new, or have changed since no cover was found. Throws like
 * `resolveNearby`.
 */
async function resolvePending(context: Context, options: PassOptions) {
  const { signal, progress } = options;
  /** For each searched album, the id of the chosen cover that waited for the album at that time. */
  const formerIds = new Map<AlbumId, FormerCover['id'] | undefined>();
  let [done, total, foundCount] = [0, 0, 0];
  for (;;) {
    // the search is repeated for albums that were added during it, and for searched albums for which a chosen cover
    // waits now
    const ids = (await listPendingAlbums(context, options)).filter(
      (id) => !formerIds.has(id) || formerIds.get(id) !== context.formerCovers.find(id)?.id,
    );
    if (ids.length === 0) return { albums: formerIds.size, found: foundCount };
    total += ids.length;
    await forEachWithSignal(ids, signal, MAX_ALBUMS_IN_PROGRESS, async (id, stopSignal) => {
      formerIds.set(id, context.formerCovers.find(id)?.id);
      if (await resolveNearby(context, id, stopSignal)) foundCount++;
      progress(++done, total);
      await yieldIfDue();
    });
  }
}

const rowWithoutCover = (albumId: AlbumId, checkedAt: Date): CoverRow => ({
  albumId,
  key: null,
  etag: null,
  origin: null,
  checkedAt,
});
