// Deletes stored pictures of albums and artists that were deleted, and those that were replaced. Triggers list them in
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

const AT_ONCE = 500;

export type Orphans = ReturnType<typeof createOrphans>;

interface OrphanDeps {
  db: MainDb;
  log: Log;
  storage: Pick<Storage, 'delete'>;
  thumbnails: Pick<Thumbnails, 'forget'>;
  locked: Locks<AlbumId>;
  former: Pick<FormerCovers, 'isKept' | 'dropOld'>;
  nowForAges: () => Date;
}

export function createOrphans({ db, log, storage, thumbnails, locked, former, nowForAges }: OrphanDeps) {
  type Orphan = typeof orphanedCovers.$inferSelect;
  const ofArtist = db.$client.prepare<[string], object>('SELECT 1 FROM artist_pictures WHERE key = ? LIMIT 1');

  /** Must hold the album's lock: the key may have become the album's cover again. */
  async function release({ key, albumId }: Orphan): Promise<void> {
    if (findCoverRow(db, albumId)?.key !== key) {
      if (!former.isKept(key) && !ofArtist.get(key)) await storage.delete(key);
      await thumbnails.forget(albumId);
    }
    db.delete(orphanedCovers).where(eq(orphanedCovers.key, key)).run();
  }

  /** Retried at the next sweep when it fails, since it only costs space. */
  async function tryRelease(orphan: Orphan): Promise<boolean> {
    try {
      await release(orphan);
      return true;
    } catch (error) {
      log.warn({ key: orphan.key, err: error }, 'unused cover not deleted');
      return false;
    }
  }

  return {
    /** The orphans of one album; the caller holds its lock. */
    async releaseOf(albumId: AlbumId): Promise<void> {
      for (const orphan of db.select().from(orphanedCovers).where(eq(orphanedCovers.albumId, albumId)).all())
        await tryRelease(orphan);
    },

    async sweep({ signal }: { signal: AbortSignal }): Promise<void> {
      former.dropOld(nowForAges());
      for (;;) {
        const orphans = db.select().from(orphanedCovers).limit(AT_ONCE).all();
        for (const orphan of orphans) {
          signal.throwIfAborted();
          if (!(await locked(orphan.albumId, () => tryRelease(orphan)))) return; // the storage is likely down
          await yieldIfDue();
        }
        if (orphans.length < AT_ONCE) return;
      }
    },
  };
}
