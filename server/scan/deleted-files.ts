// A deleted track's file stays where it is; it is remembered, so that a rescan does not bring the track back until the
// file changes.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';

export function createDeletedFiles({ db }: { db: MainDb }) {
  const mark = db.$client.prepare("UPDATE source_files SET state = 'deleted', track_id = NULL WHERE track_id = ?");
  return {
    /** Called inside the transaction that deletes the track. */
    note: (id: TrackId): void => void mark.run(id),
  };
}
