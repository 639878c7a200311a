// Covers of albums. A cover is found once, and after that replaced only by a person.
import { AppError, conflict, messageOf, notFound } from '../errors.ts';
import type { MainDb } from '../db/client.ts';
import type { AlbumId, ArtistId } from '../db/ids.ts';
import type { BytesSource } from '../http/send-bytes.ts';
import type { Log } from '../log/log.ts';
import { coverKey } from '../storage/local-paths.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import type { Storage } from '../storage/storage.ts';
import { createCandidates } from './candidates.ts';
import { readAll, readEmbedded } from './nearby-pictures.ts';
import type { CoverArchive } from './cover-archive.ts';
import { createArchiveFinder } from './archive-finder.ts';
import { createArtistFolders } from './artist-folders.ts';
import { createArtistPictures } from './artist-pictures.ts';
import { createEmbeddedPictures } from './embedded-pictures.ts';
import { createFormerCovers } from './former-covers.ts';
import { createCoverRowWriter } from './cover-row-writer.ts';
import { createCoverFinder, type PassOptions } from './nearby-finder.ts';
import { createLocks } from '../runtime/locks.ts';
import { deleteLookup, deleteLookups, findLookup } from './lookup-rows.ts';
import { MAX_MOSAIC_COVERS, mosaicOf, type ShownCover } from './mosaic.ts';
import { createOrphans } from './orphaned-covers.ts';
import { limitPicture } from './picture.ts';
import { createCoverCheck, type CoverVerdict, type RepairCover } from './verify-cover.ts';
import {
  deleteCover,
  deleteRowWithoutCover,
  findCoverRow,
  hasAlbum,
  isUnnamed,
  prepareCoverSources,
  prepareFindCovers,
  upsertCover,
  type CoverRow,
  type StoredPicture,
} from './queries.ts';
import { createSlots } from '../runtime/concurrency.ts';
import { createThumbnails } from './thumbnails.ts';
import { bindContext } from '../runtime/bind-context.ts';

interface CoverServiceDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  /** The clock for computing ages; by default the current time. */
  nowForAges?: () => Date;
  storage: Storage;
  audioStore: AudioStore;
  archive: CoverArchive;
  asksCommons: () => boolean;
  /** Throws `storage_full` if there is no space for this many bytes. */
  assertFree: (bytes: number) => Promise<void>;
  /** The folder for caches; resized covers are in its subfolder `covers/`. */
  cacheDir: string;
  /** Address of cover-worker, in the source tree or in the bundle. */
  workerUrl: URL;
  /** Called when an album's cover was added, changed or removed. */
  onCover: (albumId: AlbumId) => void;
  onArtistPicture: () => void;
}

export type CoverService = ReturnType<typeof createCoverService>;

export function createCoverService(deps: CoverServiceDeps) {
  const context = createContext(deps) as Context;
  context.thumbnails = createThumbnails({
    cacheDir: context.cacheDir,
    log: context.log,
    readOriginal: (storedPicture) => readOriginal(context, storedPicture),
  });
  context.orphans = createOrphans({
    db: context.db,
    log: context.log,
    storage: context.storage,
    thumbnails: context.thumbnails,
    withLock: context.withLock,
    formerCovers: context.formerCovers,
    nowForAges: context.nowForAges,
  });
  context.artistPictures = createArtistPictures({
    db: context.db,
    now: context.now,
    storage: context.storage,
    withLock: context.withLock,
    orphans: context.orphans,
    onChange: context.onArtistPicture,
  });
  context.coverCheck = createCoverCheck({
    db: context.db,
    now: context.now,
    storage: context.storage,
    audioStore: context.audioStore,
    sources: context.sources,
    embedded: context.embedded,
    withLock: context.withLock,
    onRepaired: (albumId) => handleChange(context, albumId),
    pictures: context.artistPictures,
    asksCommons: context.asksCommons,
  });

  return {
    ...bindContext(context, {
      forgetLookups,
      sweepOrphans,
      choose,
      tryResolveCover,
      verifyCover,
      retryLookup,
      original,
      removeCover,
      close,
      resolveCover,
      setCover,
    }),
    resolvePending: context.nearbyFinder.resolvePending,
    highestAlbumId: context.sources.highestAlbumId,
    hasFormer: context.formerCovers.hasAny,
    resolveDue: context.archiveFinder.resolveDue,
    hasDueAlbums: context.archiveFinder.hasDueAlbums,
    hasDueRetry: context.archiveFinder.hasDueRetry,
    artistPictures: context.artistPictures,
    findInArtistFolders: createArtistFolders({
      db: context.db,
      log: context.log,
      audioStore: context.audioStore,
      pictures: context.artistPictures,
    }),
    thumbnails: context.thumbnails,
    find: {
      ...context.coverQueries,
      /**
       * Returns the picture of the artist, or a mosaic of covers of the artist's albums, or of albums that contain a
       * track by the artist.
       */
      ofArtist(id: ArtistId): ShownCover | undefined {
        const owner = `artist-${id}`;
        const picture = context.pictureOfArtist(id);
        return picture ? { ...picture, owner } : mosaicOf(owner, context.listOfArtist(id, MAX_MOSAIC_COVERS));
      },
    },
    /** Returns the picture in stored audio. Throws UnusablePicture and AppErrors. */
    readEmbedded: (storageUri: string): Promise<Buffer | undefined> =>
      readEmbedded(storageUri, { audioStore: context.audioStore, embedded: context.embedded }),
    candidates: context.candidates,
    /** Compares the picture of an artist with its hash and repairs it. */
    verifyArtistPicture: context.coverCheck.verifyArtist,
  };
}

interface Context extends ReturnType<typeof createContext> {
  thumbnails: ReturnType<typeof createThumbnails>;
  orphans: ReturnType<typeof createOrphans>;
  artistPictures: ReturnType<typeof createArtistPictures>;
  coverCheck: ReturnType<typeof createCoverCheck>;
}

function createContext({
  db,
  log,
  now,
  nowForAges = now,
  storage,
  audioStore,
  archive,
  asksCommons,
  assertFree,
  cacheDir,
  workerUrl,
  onCover,
  onArtistPicture,
}: CoverServiceDeps) {
  const embedded = createEmbeddedPictures({ workerUrl });
  const withSlot = createSlots(1);
  const rowWriter = createCoverRowWriter(db);
  const withLock = createLocks<AlbumId>();
  const sources = prepareCoverSources(db);
  const formerCovers = createFormerCovers(db);
  const nearbyFinder = createCoverFinder({
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
  });
  const archiveFinder = createArchiveFinder({
    db,
    log,
    now,
    storage,
    archive,
    rowWriter,
    withLock,
    highestAlbumId: sources.highestAlbumId,
    onCover,
  });
  const candidates = createCandidates({ db, sources, audioStore, embedded, archive });
  const { listOfArtist, pictureOfArtist, ...coverQueries } = prepareFindCovers(db);
  return {
    db,
    log,
    now,
    nowForAges,
    storage,
    audioStore,
    archive,
    asksCommons,
    assertFree,
    cacheDir,
    onCover,
    onArtistPicture,
    embedded,
    withSlot,
    rowWriter,
    withLock,
    sources,
    formerCovers,
    nearbyFinder,
    archiveFinder,
    candidates,
    listOfArtist,
    pictureOfArtist,
    coverQueries,
  };
}

async function readOriginal(context: Context, { key }: StoredPicture): Promise<Buffer> {
  return readAll((await context.storage.open(key)).stream);
}

async function replace(context: Context, row: CoverRow, store: () => Promise<void>): Promise<void> {
  if (!hasAlbum(context.db, row.albumId)) throw notFound('album', row.albumId);
  if (isUnnamed(context.db, row.albumId))
    throw conflict('An album without a title has no cover. Its tracks have their own.');
  await store();
  upsertCover(context.db, row);
  deleteLookup(context.db, row.albumId);
  await handleChange(context, row.albumId);
}

/** Deletes outdated pictures after the cover has changed. The caller must hold the album's lock. */
async function handleChange(context: Context, albumId: AlbumId): Promise<void> {
  await context.orphans.deleteOf(albumId);
  await context.thumbnails.forget(albumId);
  context.onCover(albumId);
}

/** Replaces the cover of an album. Throws `not_found`, `unsupported_type`, `storage_full`. */
async function setCover(context: Context, albumId: AlbumId, bytes: Buffer): Promise<void> {
  const cover = await context
    .withSlot(() => limitPicture(bytes))
    .catch((cause: unknown) => {
      throw new AppError('unsupported_type', `This picture cannot be used: ${messageOf(cause)}.`, { cause });
    });
  await context.assertFree(cover.bytes.length);
  const key = coverKey(albumId, cover.ext);
  await context.withLock(albumId, () =>
    replace(context, { albumId, key, etag: cover.etag, origin: 'manual', checkedAt: context.now() }, async () => {
      await context.storage.put(key, cover.bytes, { contentType: cover.mime });
    }),
  );
}

/**
 * Looks for a cover if the album has none and is due, first in local files and then in the archive. Returns whether a
 * cover was found. Throws only errors that affect all albums: `storage_full`, `unavailable`, the reason of `signal`.
 */
const resolveCover = async (
  { nearbyFinder, archiveFinder }: Context,
  albumId: AlbumId,
  signal?: AbortSignal,
): Promise<boolean> =>
  (await nearbyFinder.resolveNearby(albumId, signal)) ||
  (await archiveFinder.resolveFromArchive(albumId, signal)) === true;

/** Forgets all lookups, because another archive (COVERART_BASE_URL) may have other covers. */
const forgetLookups = ({ db }: Context): void => deleteLookups(db);

function sweepOrphans({ artistPictures, orphans }: Context, options: Omit<PassOptions, 'progress'>): Promise<void> {
  artistPictures.deleteUnused();
  return orphans.sweep(options);
}

/**
 * Makes one of the candidates the cover of the album. Throws `not_found` or `unsupported_type`, and the errors of
 * `candidates.find`.
 */
async function choose(context: Context, albumId: AlbumId, id: string, signal: AbortSignal): Promise<void> {
  await setCover(context, albumId, await (await context.candidates.find(albumId, id)).read(signal));
}

/** Does the same as `resolveCover`, but logs errors instead of throwing them. */
async function tryResolveCover(context: Context, albumId: AlbumId, signal?: AbortSignal): Promise<boolean> {
  try {
    return await resolveCover(context, albumId, signal);
  } catch (error) {
    context.log.warn({ album_id: albumId, err: error }, 'cannot look for a cover');
    return false;
  }
}

/**
 * Compares the stored cover with its hash and repairs it: with `repair`, from the local files, or from the archive
 * when a cover that came from the archive is missing. Throws like `resolveCover`.
 */
async function verifyCover(
  { coverCheck, archive, withLock, db, archiveFinder }: Context,
  albumId: AlbumId,
  repair: RepairCover | undefined,
  signal: AbortSignal,
): Promise<CoverVerdict> {
  const verdict = await coverCheck.verifyAlbum(albumId, repair);
  if (typeof verdict === 'string' || verdict.healed !== null || verdict.kind !== 'missing' || !archive.isEnabled())
    return verdict;
  // deleteCover returns false when the cover was replaced in the meantime, or is not from the archive
  if (!(await withLock(albumId, () => Promise.resolve(deleteCover(db, albumId, verdict.key))))) return verdict;
  const isFound = (await archiveFinder.resolveFromArchive(albumId, signal)) === true;
  return {
    ...verdict,
    healed: isFound ? 'source' : null,
    reason: isFound ? null : 'the cover archive will be searched again',
  };
}

/**
 * Looks for a cover again, even if the cover was removed or none was found before. Throws `not_found`, and like
 * `resolveCover`.
 */
async function retryLookup(
  context: Context,
  albumId: AlbumId,
  signal: AbortSignal,
): Promise<{ found: boolean; reason: string | null }> {
  if (!hasAlbum(context.db, albumId)) throw notFound('album', albumId);
  await context.withLock(albumId, () => Promise.resolve(deleteRowWithoutCover(context.db, albumId)));
  deleteLookup(context.db, albumId);
  await resolveCover(context, albumId, signal);
  return {
    found: findCoverRow(context.db, albumId)?.key != null,
    reason: findLookup(context.db, albumId)?.reason ?? null,
  };
}

/** Returns the source of the stored picture. Opening it throws `not_found` when the picture does not exist. */
function original({ storage }: Context, cover: StoredPicture): BytesSource {
  const path = storage.localPath(cover.key);
  if (path !== undefined) return { path };
  return {
    open: (range) => storage.open(cover.key, range),
    async stat() {
      const objectStat = await storage.stat(cover.key);
      if (!objectStat) throw notFound('cover');
      return objectStat;
    },
  };
}

/** Removes the cover; no other cover is looked for. Throws `not_found` for an unknown album. */
const removeCover = (context: Context, albumId: AlbumId): Promise<void> =>
  context.withLock(albumId, () =>
    replace(context, { albumId, key: null, etag: null, origin: 'manual', checkedAt: context.now() }, () =>
      Promise.resolve(),
    ),
  );

async function close({ rowWriter, embedded, thumbnails }: Context): Promise<void> {
  rowWriter.flush();
  await Promise.all([embedded.close(), thumbnails.flush()]);
}
