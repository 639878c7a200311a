// Deletes the stored pictures of albums that went, and those that another one took the place of: triggers note them,
// whoever wrote the rows.
import { eq } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { AlbumId } from '../db/ids.ts';
import { orphanedCovers } from '../db/schema.ts';
import type { YieldToRequests } from '../jobs/yield-to-requests.ts';
import type { Log } from '../log/log.ts';
import type { Storage } from '../storage/storage.ts';
import type { Locks } from './locks.ts';
import { findCoverRow } from './queries.ts';
import type { Thumbnails } from './thumbnails.ts';

const AT_ONCE = 500;

export interface OrphanDeps {
  db: MainDb;
  log: Log;
  storage: Pick<Storage, 'delete'>;
  thumbnails: Pick<Thumbnails, 'forget'>;
  locked: Locks<AlbumId>;
}

export function createOrphans({ db, log, storage, thumbnails, locked }: OrphanDeps) {
  type Orphan = typeof orphanedCovers.$inferSelect;

  /** Inside the album's lock: a picture may have become the album's again. */
  async function release({ key, albumId }: Orphan): Promise<void> {
    if (findCoverRow(db, albumId)?.key !== key) {
      await storage.delete(key);
      await thumbnails.forget(albumId);
    }
    db.delete(orphanedCovers).where(eq(orphanedCovers.key, key)).run();
  }

  /** What cannot be deleted now costs room, not covers, and is tried again at the next sweep. */
  async function tryRelease(orphan: Orphan): Promise<boolean> {
    try {
      await release(orphan);
      return true;
    } catch (error) {
      log.warn({ key: orphan.key, err: error }, 'stored picture could not be deleted');
      return false;
    }
  }

  return {
    /** Those of one album, for who holds its lock. */
    async releaseOf(albumId: AlbumId): Promise<void> {
      for (const orphan of db.select().from(orphanedCovers).where(eq(orphanedCovers.albumId, albumId)).all())
        await tryRelease(orphan);
    },

    async sweep({ signal, yieldToRequests }: { signal: AbortSignal; yieldToRequests: YieldToRequests }): Promise<void> {
      for (;;) {
        const orphans = db.select().from(orphanedCovers).limit(AT_ONCE).all();
        for (const orphan of orphans) {
          signal.throwIfAborted();
          if (!(await locked(orphan.albumId, () => tryRelease(orphan)))) return; // the storage is out of reach
          await yieldToRequests();
        }
        if (orphans.length < AT_ONCE) return;
      }
    },
  };
}
