// Records changes to tracks that scans have to know of, in their tables source_files and source_folders. The next scan
// compares a folder without a signature file by file.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { RowOf } from '../db/rows.ts';
import type { sourceFiles } from '../db/schema.ts';
import { FILE_SCHEME } from '../storage/uri.ts';

export type SourceFiles = ReturnType<typeof createSourceFiles>;

export function createSourceFiles({ db }: { db: Pick<MainDb, '$client'> }) {
  const client = db.$client;
  const markDeleted = client.prepare("UPDATE source_files SET state = 'deleted', track_id = NULL WHERE track_id = ?");
  // `deleted` with a track: it came back from the trash, and no scan has seen it since
  const markGone = client.prepare<[TrackId], RowOf<typeof sourceFiles, 'folderId'>>(
    `UPDATE source_files SET state = 'gone' WHERE state IN ('track', 'deleted')
      AND track_id = (SELECT id FROM tracks WHERE id = ? AND storage_uri LIKE '${FILE_SCHEME}:%') RETURNING folder_id`,
  );
  const markReturned = client.prepare<[TrackId], RowOf<typeof sourceFiles, 'folderId'>>(
    `UPDATE source_files SET state = 'track' WHERE state IN ('gone', 'deleted')
      AND track_id = (SELECT id FROM tracks WHERE id = ? AND storage_uri LIKE '${FILE_SCHEME}:%') RETURNING folder_id`,
  );
  const forget = client.prepare<[TrackId], RowOf<typeof sourceFiles, 'folderId'>>(
    'DELETE FROM source_files WHERE track_id = ? RETURNING folder_id',
  );
  const setTrack = client.prepare<[TrackId, TrackId]>('UPDATE source_files SET track_id = ? WHERE track_id = ?');
  // no file was changed at that time: the next scan finds it touched
  const touch = client.prepare<[TrackId], RowOf<typeof sourceFiles, 'folderId'>>(
    "UPDATE source_files SET ctime_us = 0 WHERE track_id = ? AND state = 'track' RETURNING folder_id",
  );
  // no file has this time: the next scan reads it as one that changed
  const forgetTime = client.prepare<[TrackId], RowOf<typeof sourceFiles, 'folderId'>>(
    "UPDATE source_files SET mtime_us = 0 WHERE track_id = ? AND state = 'deleted' RETURNING folder_id",
  );
  const adopt = client.prepare<[TrackId, number, string]>(
    `UPDATE source_files SET state = 'track', track_id = ?
      WHERE folder_id = ? AND name = ? AND state = 'deleted' AND track_id IS NULL`,
  );
  const clearSignature = client.prepare<[number]>('UPDATE source_folders SET signature = NULL WHERE id = ?');

  function forgetAll(id: TrackId): void {
    for (const { folder_id } of forget.all(id)) clearSignature.run(folder_id);
  }

  return {
    /**
     * The track was deleted, but its file stays: a scan does not add it again until it changes. Runs inside the
     * caller's transaction.
     */
    noteDeleted: (id: TrackId): void => void markDeleted.run(id),

    /** The track's file was missing when it was needed. A scan will find it again, even if it comes back unchanged. */
    noteGone: client.transaction((id: TrackId): void => {
      for (const { folder_id } of markGone.all(id)) clearSignature.run(folder_id);
    }).immediate,

    /** The track's file was found again between two scans. */
    noteReturned: client.transaction((id: TrackId): void => {
      for (const { folder_id } of markReturned.all(id)) clearSignature.run(folder_id);
    }).immediate,

    /**
     * Assigns the files of `from` to `to`, and forgets those that `to` had: a file that reappears there becomes a new
     * track. Runs inside the caller's transaction.
     */
    handOver(from: TrackId, to: TrackId): void {
      forgetAll(to);
      setTrack.run(to, from);
    },

    /**
     * A file that belonged to no track is that of this one, whose own files are forgotten. Inside the caller's
     * transaction.
     */
    adopt(id: TrackId, folderId: number, name: string): void {
      forgetAll(id);
      adopt.run(id, folderId, name);
      clearSignature.run(folderId);
    },

    /** Its tags may say something else than when they were read for this track. Inside the caller's transaction. */
    readTagsAgain(id: TrackId): void {
      for (const { folder_id } of touch.all(id)) clearSignature.run(folder_id);
    },

    /**
     * The track is back, and its file may have changed while it was deleted or merged. Inside the caller's transaction.
     */
    readReturnedAgain(id: TrackId): void {
      for (const { folder_id } of forgetTime.all(id)) clearSignature.run(folder_id);
    },

    /** A file that reappears where the track had one becomes a track of its own. Inside the caller's transaction. */
    forget: forgetAll,
  };
}
