// Deletes stored audio and covers of removed tracks that nothing uses any more. Files in the music folder (`file:`
// URIs) are never touched. An object that cannot be deleted only costs space until the next gc.
import type { MainDb } from '../../db/client.ts';
import type { Log } from '../../log/log.ts';
import type { Leases } from '../../storage/leases.ts';
import { hashInKey } from '../../storage/local-paths.ts';
import type { Storage } from '../../storage/storage.ts';
import { keyOfUri } from '../../storage/uri.ts';
import type { LeftOver } from './row-removal.ts';

export interface ObjectReleaseDeps {
  db: MainDb;
  storage: Pick<Storage, 'delete' | 'backend'>;
  leases: Pick<Leases, 'deleteWhenFree'>;
  log: Log;
}

export function createObjectRelease({ db, storage, leases, log }: ObjectReleaseDeps) {
  const findUse = db.$client.prepare('SELECT 1 FROM stored_audio WHERE content_hash = ? AND storage_uri = ?');

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

  /**
   * Returns whether a track uses the object. Searches by content hash, since an index of storage URIs would make scans
   * a tenth slower.
   */
  const isUsed = (uri: string, key: string): boolean => findUse.get(hashInKey(key), uri) !== undefined;

  /**
   * Returns the storage key of a URI; undefined for `file:` URIs and objects in another backend than the configured
   * one.
   */
  const keyOf = (uri: string): string | undefined => keyOfUri(storage, uri);

  async function tryDelete(key: string): Promise<void> {
    try {
      await storage.delete(key);
    } catch (error) {
      log.warn({ key, err: error }, 'stored object could not be deleted');
    }
  }

  return { release, releaseAudio };
}
