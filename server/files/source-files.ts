// What a scan has to know of changes that others make to tracks, written into its own rows (source_files,
// source_folders). A folder without a signature is compared file by file by the next scan.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { RowOf } from '../db/rows.ts';
import type { sourceFiles } from '../db/schema.ts';
import { FILE_SCHEME } from '../storage/uri.ts';

export type SourceFiles = ReturnType<typeof createSourceFiles>;

export function createSourceFiles({ db }: { db: Pick<MainDb, '$client'> }) {
  const client = db.$client;
  const markDeleted = client.prepare("UPDATE source_files SET state = 'deleted', track_id = NULL WHERE track_id = ?");
  const markGone = client.prepare<[TrackId], RowOf<typeof sourceFiles, 'folderId'>>(
    `UPDATE source_files SET state = 'gone' WHERE state = 'track'
      AND track_id = (SELECT id FROM tracks WHERE id = ? AND storage_uri LIKE '${FILE_SCHEME}:%') RETURNING folder_id`,
  );
  const forget = client.prepare<[TrackId], RowOf<typeof sourceFiles, 'folderId'>>(
    'DELETE FROM source_files WHERE track_id = ? RETURNING folder_id',
  );
  const setTrack = client.prepare<[TrackId, TrackId]>('UPDATE source_files SET track_id = ? WHERE track_id = ?');
  const clearSignature = client.prepare<[number]>('UPDATE source_folders SET signature = NULL WHERE id = ?');

  return {
    /**
     * The track was deleted, but its file stays: a scan does not add it again until it changes. Runs inside the
     * caller's transaction.
     */
    noteDeleted: (id: TrackId): void => void markDeleted.run(id),

    /** The track's file was not there when it was needed. When it is back, a scan finds it although nothing changed. */
    noteGone: client.transaction((id: TrackId): void => {
      for (const { folder_id } of markGone.all(id)) clearSignature.run(folder_id);
    }).immediate,

    /**
     * The files of `from` belong to `to` now. Those that `to` had are forgotten: a file that reappears there becomes a
     * track of its own. Runs inside the caller's transaction.
     */
    handOver(from: TrackId, to: TrackId): void {
      for (const { folder_id } of forget.all(to)) clearSignature.run(folder_id);
      setTrack.run(to, from);
    },
  };
}
