// Deletes stored pictures of deleted albums and artists, and replaced pictures. Triggers list these pictures in
// orphaned_covers, whichever module changed the rows.
import { eq } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { AlbumId } from '../db/ids.ts';
import { orphanedCovers } from '../db/schema.ts';
import type { Log } from '../log/log.ts';
import type { Storage } from '../storage/storage.ts';
import type { FormerCovers } from './former-covers.ts';
import type { Locks } from '../runtime/locks.ts';
import { findCoverRow } from './queries.ts';
import type { Thumbnails } from './thumbnails.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';

const ORPHANS_PER_QUERY = 500;

export type Orphans = ReturnType<typeof createOrphans>;

interface OrphanDeps {
  db: MainDb;
  log: Log;
  storage: Pick<Storage, 'delete'>;
  thumbnails: Pick<Thumbnails, 'forget'>;
  withLock: Locks<AlbumId>;
  formerCovers: Pick<FormerCovers, 'isReserved' | 'deleteOld'>;
  nowForAges: () => Date;
}

export function createOrphans({ db, log, storage, thumbnails, withLock, formerCovers, nowForAges }: OrphanDeps) {
  type Orphan = typeof orphanedCovers.$inferSelect;
  const findArtistPicture = db.$client.prepare<[string], object>('SELECT 1 FROM artist_pictures WHERE key = ? LIMIT 1');

  /** Deletes a picture, unless it has become the album's cover again. The caller must hold the album's lock. */
  async function deleteOrphan({ key, albumId }: Orphan): Promise<void> {
    if (findCoverRow(db, albumId)?.key !== key) {
      if (!formerCovers.isReserved(key) && !findArtistPicture.get(key)) await storage.delete(key);
      await thumbnails.forget(albumId);
    }
    db.delete(orphanedCovers).where(eq(orphanedCovers.key, key)).run();
  }

  /**
   * Deletes a picture, and returns whether it did. One that cannot be deleted only takes space, so the next sweep tries
   * again.
   */
  async function tryDeleteOrphan(orphan: Orphan): Promise<boolean> {
    try {
      await deleteOrphan(orphan);
      return true;
    } catch (error) {
      log.warn({ key: orphan.key, err: error }, 'cannot delete an unused cover');
      return false;
    }
  }

  return {
    /** Deletes the orphaned pictures of one album. The caller must hold the album's lock. */
    async deleteOf(albumId: AlbumId): Promise<void> {
      for (const orphan of db.select().from(orphanedCovers).where(eq(orphanedCovers.albumId, albumId)).all())
        await tryDeleteOrphan(orphan);
    },

    async sweep({ signal }: { signal: AbortSignal }): Promise<void> {
      formerCovers.deleteOld(nowForAges());
      for (;;) {
        const orphans = db.select().from(orphanedCovers).limit(ORPHANS_PER_QUERY).all();
        for (const orphan of orphans) {
          signal.throwIfAborted();
          // the storage is probably down, so the sweep ends
          if (!(await withLock(orphan.albumId, () => tryDeleteOrphan(orphan)))) return;
          await yieldIfDue();
        }
        if (orphans.length < ORPHANS_PER_QUERY) return;
      }
    },
  };
}
