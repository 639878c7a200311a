// Takes a track out of the library: its row with all that hangs on it, an album and artists left empty, and at last the
// stored audio. Files below the import path (`file:` addresses) are the person's own and are never touched.
import { and, eq } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { tracks } from '../db/schema.ts';
import type { Log } from '../log/log.ts';
import type { Leases } from '../storage/leases.ts';
import { hashInKey } from '../storage/local-paths.ts';
import type { Storage } from '../storage/storage.ts';
import { removeTrackRow, type LeftOver, type RowRemovalDeps } from './row-removal.ts';
import { keyOfUri } from '../storage/uri.ts';

export interface DeletionDeps {
  db: MainDb;
  tracks: RowRemovalDeps;
  storage: Pick<Storage, 'delete' | 'backend'>;
  leases: Pick<Leases, 'deleteWhenFree'>;
  /**
   * Called inside the transaction while the row is still there, so that the track's source can note that it is not
   * wanted back.
   */
  onDeleted: (id: TrackId) => void;
  log: Log;
}

export function createDeletion({ db, tracks: writer, storage, leases, onDeleted, log }: DeletionDeps) {
  /**
   * The row is gone when this returns, whatever became of the stored objects: a left-over object costs room, not music.
   */
  async function deleteTrack(id: TrackId): Promise<void> {
    await release(
      db.transaction((tx) => removeTrackRow(tx, writer, id, () => onDeleted(id)), { behavior: 'immediate' }),
    );
  }

  async function release({ storageUri, coverKey }: LeftOver): Promise<void> {
    if (coverKey !== null) await tryDelete(coverKey);
    if (storageUri !== null) await releaseAudio([storageUri]);
  }

  /** Deletes stored audio that no track uses any more; what is about to be used again is looked at later. */
  async function releaseAudio(storageUris: readonly string[]): Promise<void> {
    for (const uri of storageUris) {
      const key = keyOf(uri);
      if (key !== undefined)
        await leases.deleteWhenFree(key, async () => {
          if (!isUsed(uri, key)) await tryDelete(key);
        });
    }
  }

  /**
   * Found by content, which is indexed; the address alone is not, since an index of it would cost a tenth of a scan.
   */
  const isUsed = (uri: string, key: string): boolean =>
    db
      .select({ id: tracks.id })
      .from(tracks)
      .where(and(eq(tracks.contentHash, hashInKey(key)), eq(tracks.storageUri, uri)))
      .limit(1)
      .get() !== undefined;

  /** Undefined for a `file:` address and for an object of another backend than today's. */
  const keyOf = (uri: string): string | undefined => keyOfUri(storage, uri);

  async function tryDelete(key: string): Promise<void> {
    try {
      await storage.delete(key);
    } catch (error) {
      log.warn({ key, err: error }, 'stored object could not be deleted');
    }
  }

  return { deleteTrack, release, releaseAudio };
}
