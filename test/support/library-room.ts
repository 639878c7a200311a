// The library's services over a database of a test, with a storage that only remembers what it was asked to delete.
import type { MainDb } from '../../server/db/client.ts';
import type { TrackId } from '../../server/db/ids.ts';
import { createLibraryService } from '../../server/library/service.ts';
import { createTrackWriter } from '../../server/library/track-writer.ts';
import { createLog } from '../../server/log/log.ts';
import { createLeases } from '../../server/storage/leases.ts';
import { local } from '../../server/storage/local.ts';

export interface LibraryRoomOptions {
  now?: () => Date;
  /** In the transaction of a deletion. */
  onDeleted?: (id: TrackId) => void;
  /** Instead of remembering. */
  deleteObject?: (key: string) => Promise<boolean>;
}

export function openLibraryRoom(
  db: MainDb,
  { now = () => new Date(), onDeleted = () => {}, deleteObject }: LibraryRoomOptions = {},
) {
  const deletedObjects: string[] = [];
  const tracks = createTrackWriter({ db, now });
  const remember = (key: string): Promise<boolean> => Promise.resolve(deletedObjects.push(key) > 0);
  const library = createLibraryService({
    db,
    tracks,
    storage: { backend: local, delete: deleteObject ?? remember },
    leases: createLeases(),
    onDeleted,
    now,
    log: createLog('silent'),
  });
  return { library, tracks, deletedObjects };
}
