// Deletes a track: its row and all that refers to it, an album and artists left without tracks, and finally the stored
// audio. Files in the music folder (`file:` URIs) are never touched.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
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
  /** Called inside the transaction while the row exists, so that its source can note not to import it again. */
  onDeleted: (id: TrackId) => void;
  log: Log;
}

export function createDeletion({ db, tracks: writer, storage, leases, onDeleted, log }: DeletionDeps) {
  const findUse = db.$client.prepare('SELECT 1 FROM stored_audio WHERE content_hash = ? AND storage_uri = ?');

  /**
   * For good. Succeeds even if stored objects cannot be deleted: those only cost space until the next gc. Throws
   * `not_found`.
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

  /** Deletes stored audio that no track uses any more. Leased objects are checked again when they are released. */
  async function releaseAudio(storageUris: readonly string[]): Promise<void> {
    for (const uri of storageUris) {
      const key = keyOf(uri);
      if (key !== undefined)
        await leases.deleteWhenFree(key, async () => {
          if (!isUsed(uri, key)) await tryDelete(key);
        });
    }
  }

  /** Searches by content hash, since an index of storage URIs would make scans a tenth slower. */
  const isUsed = (uri: string, key: string): boolean => findUse.get(hashInKey(key), uri) !== undefined;

  /** Undefined for `file:` URIs and objects in another backend than the configured one. */
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
