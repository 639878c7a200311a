// The table of files that scans have seen.
import type { Sqlite } from '../../db/client.ts';
import type { TrackId } from '../../db/ids.ts';
import type { RowAs, RowOf } from '../../db/rows.ts';
import type { sourceFiles, tracks } from '../../db/schema.ts';
import type { FileIdentity, InodeStamp } from '../../files/file-stamp.ts';
import type { Candidate } from '../walk/compare-folder.ts';
import type { KnownFile } from '../walk/known-files.ts';

/** The state of a file that is stored with its row. */
interface FileState {
  state: KnownFile['state'];
  reason?: string;
  lyricsMark: string | null;
  trackId: TrackId | null;
}

/** The row of a track inside a file, see files/section-names.ts. */
export type SectionRow = RowAs<typeof sourceFiles, 'name' | 'state' | 'sizeBytes' | 'mtimeUs' | 'trackId'> &
  RowAs<typeof tracks, 'audioHash'>;

type WithName = Pick<KnownFile, 'name'>;

export type FileRows = ReturnType<typeof createFileRows>;

export function createFileRows(client: Sqlite) {
  const upsert = client.prepare(
    `INSERT INTO source_files
      (folder_id, name, size_bytes, mtime_us, dev, ino, ctime_us, state, reason, lyrics_mark, sheets_mark, track_id)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (folder_id, name) DO UPDATE SET size_bytes = excluded.size_bytes, mtime_us = excluded.mtime_us,
        dev = excluded.dev, ino = excluded.ino, ctime_us = excluded.ctime_us, state = excluded.state,
        reason = excluded.reason,
        lyrics_mark = excluded.lyrics_mark, sheets_mark = excluded.sheets_mark, track_id = excluded.track_id`,
  );
  const findFile = client.prepare<[number, string], RowAs<typeof sourceFiles, 'trackId' | 'state'>>(
    'SELECT track_id AS trackId, state FROM source_files WHERE folder_id = ? AND name = ?',
  );
  const setState = client.prepare<[string, number, string]>(
    'UPDATE source_files SET state = ? WHERE folder_id = ? AND name = ?',
  );
  const setNumbers = client.prepare<[number, number, number | null, number, string, string, string]>(
    // also updates the tracks that are sections of the file; '0' is the character after '/'
    `UPDATE source_files SET dev = ?, ino = ?, ctime_us = ?
      WHERE folder_id = ? AND (name = ? OR name >= ? || '//' AND name < ? || '/0')`,
  );
  const remove = client.prepare<[number, string]>('DELETE FROM source_files WHERE folder_id = ? AND name = ?');
  const removeStamped = client.prepare<[number, string, number, number, number, number]>(
    `DELETE FROM source_files
      WHERE folder_id = ? AND name = ? AND ino = ? AND dev = ? AND size_bytes = ? AND mtime_us = ?`,
  );
  const removeOthers = client.prepare<[TrackId, number, string], RowOf<typeof sourceFiles, 'folderId' | 'lyricsMark'>>(
    `DELETE FROM source_files WHERE track_id = ? AND NOT (folder_id = ? AND name = ?)
      RETURNING folder_id, lyrics_mark`,
  );
  const findOther = client.prepare<[TrackId, number, string], { name: string }>(
    `SELECT name FROM source_files WHERE track_id = ? AND state = 'track' AND NOT (folder_id = ? AND name = ?)`,
  );
  const listSections = client.prepare<[number, string, string], SectionRow>(
    // '0' is the character after '/'
    `SELECT f.name, f.state, f.size_bytes AS sizeBytes, f.mtime_us AS mtimeUs, f.track_id AS trackId,
      t.audio_hash AS audioHash FROM source_files f LEFT JOIN tracks t ON t.id = f.track_id
      WHERE f.folder_id = ? AND f.name >= ? || '//' AND f.name < ? || '/0' ORDER BY f.name`,
  );
  const listDeleted = client.prepare<
    [number, number, number, number, string, number, string],
    SectionRow & { path: string; folder: number }
  >(
    `SELECT d.path, s.folder_id AS folder, s.name, s.state, s.size_bytes AS sizeBytes, s.mtime_us AS mtimeUs,
        s.track_id AS trackId, NULL AS audioHash
      FROM source_files f JOIN source_folders d ON d.id = f.folder_id
        JOIN source_files s ON s.folder_id = f.folder_id AND s.name >= f.name || '//' AND s.name < f.name || '/0'
      WHERE f.ino = ? AND f.dev = ? AND f.size_bytes = ? AND f.mtime_us = ? AND d.source = ?
        AND NOT (f.folder_id = ? AND f.name = ?) AND s.state = 'deleted' AND s.track_id IS NULL`,
  );
  return {
    /** Returns sections that were deleted when this very file was at another path. */
    findDeletedSections: (
      source: string,
      folder: number,
      { name, ino, dev, sizeBytes, mtimeUs }: FileIdentity & WithName,
    ) => (ino === 0 ? [] : listDeleted.all(ino, dev, sizeBytes, mtimeUs, source, folder, name)),
    listSections: (folder: number, name: string): SectionRow[] => listSections.all(folder, name, name),
    find: (folder: number, name: string) => findFile.get(folder, name),
    put(
      folder: number,
      { name, sizeBytes, mtimeUs, dev, ino, ctimeUs, sheetsMark }: Omit<Candidate, 'lyricsMark' | 'known'>,
      { state, reason, lyricsMark, trackId }: FileState,
    ): void {
      const stamp = [sizeBytes, mtimeUs, dev, ino, ctimeUs];
      upsert.run(folder, name, ...stamp, state, reason ?? null, lyricsMark, sheetsMark, trackId);
    },
    /** Sets the state of a file; returns false for a file without a row. */
    setState: (folder: number, name: string, state: KnownFile['state']): boolean =>
      setState.run(state, folder, name).changes > 0,
    setNumbers: (folder: number, { name, dev, ino, ctimeUs }: InodeStamp & WithName): void =>
      void setNumbers.run(dev, ino, ctimeUs, folder, name, name, name),
    remove: (folder: number, name: string): void => void remove.run(folder, name),
    /** Removes the row at this place, if it still describes this file and not another one. */
    removeIfSame: (folder: number, name: string, { ino, dev, sizeBytes, mtimeUs }: FileIdentity): void =>
      void removeStamped.run(folder, name, ino, dev, sizeBytes, mtimeUs),
    /** Removes and returns the other locations of a track. */
    removeOthers: (trackId: TrackId, folder: number, name: string) => removeOthers.all(trackId, folder, name),
    hasOther: (trackId: TrackId, folder: number, name: string): boolean =>
      findOther.get(trackId, folder, name) !== undefined,
  };
}
