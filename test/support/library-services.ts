// The library services over a test database, with a storage that only records deletions.
import type { MainDb } from '../../server/db/client.ts';
import type { TrackId, UserId } from '../../server/db/ids.ts';
import { rightsFrom } from '../../server/db/rights.ts';
import { createLibraryService } from '../../server/library/service.ts';
import { createTrash } from '../../server/library/trash/trash.ts';
import { createTrackWriter } from '../../server/library/tracks/track-writer.ts';
import { createLog } from '../../server/log/log.ts';
import { createLeases } from '../../server/storage/leases.ts';
import { local } from '../../server/storage/local.ts';

interface LibraryServicesOptions {
  now?: () => Date;
  /** Called in the transaction of a deletion. */
  onDeleted?: (id: TrackId) => void;
  /** Deletes an object; by default deletions are only recorded. */
  deleteObject?: (key: string) => Promise<boolean>;
}

export function openLibraryServices(
  db: MainDb,
  { now = () => new Date(), onDeleted = () => {}, deleteObject }: LibraryServicesOptions = {},
) {
  const deletedObjects: string[] = [];
  const tracks = createTrackWriter({ db, now });
  const remember = (key: string): Promise<boolean> => Promise.resolve(deletedObjects.push(key) > 0);
  const library = createLibraryService({
    db,
    tracks,
    storage: { backend: local, delete: deleteObject ?? remember },
    leases: createLeases(),
    now,
    log: createLog('silent'),
  });
  const trash = createTrash({
    db,
    tracks,
    now,
    onRestored: () => {},
    lookForFiles: () => Promise.resolve(),
    release: library.release,
  });

  /** Deletes a track permanently: moves it to the trash and removes it from there. */
  async function deleteTrack(id: TrackId): Promise<void> {
    db.transaction((tx) => trash.put(tx, null, id, () => onDeleted(id)), { behavior: 'immediate' });
    await trash.deleteNow({ id: 0 as UserId, rights: rightsFrom(() => true) }, id);
  }
  return { library, tracks, trash, deleteTrack, deletedObjects };
}
