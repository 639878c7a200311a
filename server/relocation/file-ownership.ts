// Which files on disk belong to a track, when that changes by a person's word. Inside the caller's transaction.
import type { Sqlite } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';

export function createFileOwnership(client: Sqlite) {
  const forgetPlaces = client.prepare<[TrackId], { folder_id: number }>(
    'DELETE FROM source_files WHERE track_id = ? RETURNING folder_id',
  );
  const unsettle = client.prepare<[number]>('UPDATE source_folders SET signature = NULL WHERE id = ?');
  const movePlaces = client.prepare<[TrackId, TrackId]>('UPDATE source_files SET track_id = ? WHERE track_id = ?');
  const moveDownloads = client.prepare<[TrackId, TrackId]>('UPDATE downloads SET track_id = ? WHERE track_id = ?');
  return {
    /**
     * The places that `to` had are forgotten: should a file turn up in one of them again, it is another one and becomes
     * a track of its own.
     */
    move(from: TrackId, to: TrackId): void {
      for (const { folder_id } of forgetPlaces.all(to)) unsettle.run(folder_id);
      movePlaces.run(to, from);
      moveDownloads.run(to, from);
    },
  };
}
