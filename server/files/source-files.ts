// Stores changes to tracks for the next scan, in the tables source_files and source_folders. If a folder has no
// signature, the next scan compares it file by file.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { RowOf } from '../db/rows.ts';
import type { sourceFiles } from '../db/schema.ts';
import { FILE_SCHEME } from '../storage/uri.ts';

export type SourceFiles = ReturnType<typeof createSourceFiles>;

export function createSourceFiles({ db }: { db: Pick<MainDb, '$client'> }) {
  const client = db.$client;
  const markDeleted = client.prepare("UPDATE source_files SET state = 'deleted', track_id = NULL WHERE track_id = ?");
  // a track with the state `deleted` came back from the trash, and no scan has seen its file since
  const markGone = client.prepare<[TrackId], RowOf<typeof sourceFiles, 'folderId'>>(
    `UPDATE source_files SET state = 'gone' WHERE state IN ('track', 'deleted')
      AND track_id = (SELECT id FROM tracks WHERE id = ? AND storage_uri LIKE '${FILE_SCHEME}:%') RETURNING folder_id`,
  );
  const markReturned = client.prepare<[TrackId], RowOf<typeof sourceFiles, 'folderId'>>(
    `UPDATE source_files SET state = 'track' WHERE state IN ('gone', 'deleted')
      AND track_id = (SELECT id FROM tracks WHERE id = ? AND storage_uri LIKE '${FILE_SCHEME}:%') RETURNING folder_id`,
  );
  const deleteFiles = client.prepare<[TrackId], RowOf<typeof sourceFiles, 'folderId'>>(
    'DELETE FROM source_files WHERE track_id = ? RETURNING folder_id',
  );
  const setTrack = client.prepare<[TrackId, TrackId]>('UPDATE source_files SET track_id = ? WHERE track_id = ?');
  // no file has a change time of 0, so the next scan reads the tags again
  const clearChangeTime = client.prepare<[TrackId], RowOf<typeof sourceFiles, 'folderId'>>(
    "UPDATE source_files SET ctime_us = 0 WHERE track_id = ? AND state = 'track' RETURNING folder_id",
  );
  // no file has a modification time of 0, so the next scan treats the file as changed
  const clearFileTime = client.prepare<[TrackId], RowOf<typeof sourceFiles, 'folderId'>>(
    "UPDATE source_files SET mtime_us = 0 WHERE track_id = ? AND state = 'deleted' RETURNING folder_id",
  );
  const assignFile = client.prepare<[TrackId, number, string]>(
    `UPDATE source_files SET state = 'track', track_id = ?
      WHERE folder_id = ? AND name = ? AND state = 'deleted' AND track_id IS NULL`,
  );
  const clearSignature = client.prepare<[number]>('UPDATE source_folders SET signature = NULL WHERE id = ?');

  function forgetFiles(id: TrackId): void {
    for (const { folder_id } of deleteFiles.all(id)) clearSignature.run(folder_id);
  }

  return {
    /**
     * Stores that the track was deleted while its file stays: a scan adds the file again only after it changes. Runs
     * inside the caller's transaction.
     */
    noteDeleted: (id: TrackId): void => void markDeleted.run(id),

    /**
     * Stores that the track's file was missing when it was needed. A scan will find the file again, even if it comes
     * back unchanged.
     */
    noteGone: client.transaction((id: TrackId): void => {
      for (const { folder_id } of markGone.all(id)) clearSignature.run(folder_id);
    }).immediate,

    /** Stores that the track's file was found again between two scans. */
    noteReturned: client.transaction((id: TrackId): void => {
      for (const { folder_id } of markReturned.all(id)) clearSignature.run(folder_id);
    }).immediate,

    /**
     * Assigns the files of one track to another track, whose previous files are forgotten: if such a file reappears, it
     * becomes a new track. Runs inside the caller's transaction.
     */
    moveFiles(fromId: TrackId, toId: TrackId): void {
      forgetFiles(toId);
      setTrack.run(toId, fromId);
    },

    /**
     * Assigns a file that belonged to no track to this track, whose previous files are forgotten. Runs inside the
     * caller's transaction.
     */
    adopt(id: TrackId, folderId: number, name: string): void {
      forgetFiles(id);
      assignFile.run(id, folderId, name);
      clearSignature.run(folderId);
    },

    /** Makes the next scan read the tags of the track's file again. Runs inside the caller's transaction. */
    rereadTagsAtNextScan(id: TrackId): void {
      for (const { folder_id } of clearChangeTime.all(id)) clearSignature.run(folder_id);
    },

    /**
     * Makes the next scan read the file of a restored track again, because it may have changed while the track was
     * deleted or merged. Runs inside the caller's transaction.
     */
    rereadFileAtNextScan(id: TrackId): void {
      for (const { folder_id } of clearFileTime.all(id)) clearSignature.run(folder_id);
    },

    /**
     * Forgets the files of a track: if such a file reappears, it becomes a new track. Runs inside the caller's
     * transaction.
     */
    forget: forgetFiles,
  };
}
