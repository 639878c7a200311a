// Compares a stored cover, or the picture of an artist, with the hash in its row and repairs it from the backup or from
// the files in which it was found. It holds the album's lock, so that a simultaneous upload is not mistaken for damage.
import { createHash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { AlbumId } from '../db/ids.ts';
import { artistPictures } from '../db/schema.ts';
import { AppError, messageOf } from '../errors.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import { DamagedObjectError } from '../storage/file-errors.ts';
import { coverKey } from '../storage/local-paths.ts';
import type { Storage } from '../storage/storage.ts';
import { ARTISTS_LOCK_ID, type ArtistPictures } from './artist-pictures.ts';
import { isOutOfReach, listNearbyPictures } from './nearby-pictures.ts';
import type { EmbeddedPictures } from './embedded-pictures.ts';
import type { Locks } from '../runtime/locks.ts';
import { checkPicture, UnusablePicture, type Cover } from './picture.ts';
import { findCoverRow, upsertCover, type CoverRow, type CoverSources } from './queries.ts';

/** Restores the object of a key. Returns `healed`, or the reason why that failed. */
export type RepairCover = (key: string, etag: string) => Promise<string>;

/** `none`: the album has no cover any more. `healed`: where the repaired cover came from. */
export type CoverVerdict =
  | 'good'
  | 'none'
  | {
      key: string;
      kind: 'damaged' | 'missing' | 'unreadable';
      healed: 'backup' | 'source' | null;
      reason: string | null;
    };

interface CoverCheckDeps {
  db: MainDb;
  now: () => Date;
  storage: Storage;
  audioStore: AudioStore;
  sources: CoverSources;
  embedded: EmbeddedPictures;
  withLock: Locks<AlbumId>;
  /** Called when the cover was restored, or replaced by another one. */
  onRepaired: (albumId: AlbumId) => Promise<void>;
  pictures: Pick<ArtistPictures, 'forget' | 'announceRestored'>;
  /** Returns whether pictures of artists are looked for at Commons. */
  asksCommons: () => boolean;
}

export function createCoverCheck({
  db,
  now,
  storage,
  audioStore,
  sources,
  embedded,
  withLock,
  onRepaired,
  pictures,
  asksCommons,
}: CoverCheckDeps) {
  async function checkObject(
    key: string,
    etag: string,
  ): Promise<{ kind: 'good' | 'damaged' | 'missing' | 'unreadable'; reason: string | null }> {
    try {
      const hash = createHash('sha256');
      for await (const chunk of (await storage.open(key)).stream as AsyncIterable<Buffer>) hash.update(chunk);
      return { kind: hash.digest('hex').startsWith(etag) ? 'good' : 'damaged', reason: null };
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return { kind: 'missing', reason: null };
      if (error instanceof DamagedObjectError) return { kind: 'damaged', reason: null };
      if (!(await storage.isUp())) throw error; // if the storage is down, nothing is known about this cover
      return { kind: 'unreadable', reason: messageOf(error) };
    }
  }

  /**
   * Restores the same picture from the local files. If the lost picture came from there, the first usable picture will
   * do, too.
   */
  async function restoreFromFiles({ albumId, etag, origin }: CoverRow): Promise<boolean> {
    let firstUsable: { cover: Cover; origin: CoverRow['origin'] } | undefined;
    for await (const picture of listNearbyPictures(albumId, { sources, audioStore, embedded })) {
      const bytes = await picture.read().catch(undefinedIfUnusable);
      const cover = bytes && (await checkPicture(bytes).catch(undefinedIfUnusable));
      if (!cover) continue;
      if (cover.etag === etag) return storeCover(albumId, cover, origin);
      firstUsable ??= { cover, origin: picture.origin };
    }
    return (
      firstUsable !== undefined &&
      origin !== 'manual' &&
      origin !== 'archive' &&
      storeCover(albumId, firstUsable.cover, firstUsable.origin)
    );
  }

  async function storeCover(albumId: AlbumId, cover: Cover, origin: CoverRow['origin']): Promise<true> {
    const key = coverKey(albumId, cover.ext);
    await storage.put(key, cover.bytes, { contentType: cover.mime });
    upsertCover(db, { albumId, key, etag: cover.etag, origin, checkedAt: now() });
    return true;
  }

  /** Verifies the cover of an album. Throws `unavailable` while the storage is down, and `storage_full`. */
  const verifyAlbum = (albumId: AlbumId, repair: RepairCover | undefined): Promise<CoverVerdict> =>
    withLock(albumId, async () => {
      const row = findCoverRow(db, albumId);
      if (row?.key == null || row.etag === null) return 'none';
      const { key } = row;
      const { kind, reason } = await checkObject(key, row.etag);
      if (kind === 'good') return 'good';
      const outcome = await repair?.(key, row.etag);
      const healed = outcome === 'healed' ? 'backup' : (await restoreFromFiles(row)) ? 'source' : null;
      if (healed !== null) await onRepaired(albumId);
      return { key, kind, healed, reason: healed === null ? (outcome ?? reason) : null };
    });

  /**
   * Verifies the picture of an artist; throws like `verifyAlbum`. A found picture that cannot be repaired is forgotten
   * if it would be found again. Otherwise its row stays, because the backup may only be out of reach at present.
   */
  const verifyArtist = (id: number, repair: RepairCover | undefined): Promise<CoverVerdict> =>
    withLock(ARTISTS_LOCK_ID, async () => {
      const row = db.select().from(artistPictures).where(eq(artistPictures.id, id)).get();
      if (row?.key == null || row.etag === null) return 'none';
      const { key, origin } = row;
      const { kind, reason } = await checkObject(key, row.etag);
      if (kind === 'good') return 'good';
      const outcome = await repair?.(key, row.etag);
      if (outcome === 'healed') {
        pictures.announceRestored();
        return { key, kind, healed: 'backup', reason: null };
      }
      const canBeFoundAgain = origin === 'folder' || (origin === 'commons' && asksCommons());
      if (!canBeFoundAgain || kind === 'unreadable') return { key, kind, healed: null, reason: outcome ?? reason };
      await pictures.forget(row);
      return { key, kind, healed: null, reason: 'it will be searched again' };
    });

  return { verifyAlbum, verifyArtist };
}

function undefinedIfUnusable(error: unknown): undefined {
  if (!(error instanceof UnusablePicture) && !isOutOfReach(error)) throw error;
}
