// What the last scan saw, read folder by folder over a connection of the walking thread's own.
import Database from 'better-sqlite3';
import type { RowAs, RowOf } from '../db/rows.ts';
import type { sourceFiles, sourceFolders } from '../db/schema.ts';

/** A file as the last scan left it. */
export type KnownFile = RowAs<
  typeof sourceFiles,
  'name' | 'sizeBytes' | 'mtimeUs' | 'state' | 'reason' | 'lyricsMark' | 'sheetsMark' | 'trackId'
>;
type KnownFolder = RowAs<typeof sourceFolders, 'id' | 'imageName' | 'artistImage' | 'signature'>;
type FolderPath = RowOf<typeof sourceFolders, 'id' | 'path'>;

export interface KnownFiles {
  folder(path: string): KnownFolder | undefined;
  files(folderId: number): KnownFile[];
  /** Known folders at or below `path`. */
  foldersBelow(path: string): FolderPath[];
  /** Files of a folder that are not marked gone or deleted. */
  present(folderId: number): KnownFile[];
}

const FILE_COLUMNS = `name, size_bytes AS sizeBytes, mtime_us AS mtimeUs, state, reason, lyrics_mark AS lyricsMark,
  sheets_mark AS sheetsMark, track_id AS trackId`;

export function openKnownFiles(databasePath: string, source: string): KnownFiles & { close(): void } {
  const client = new Database(databasePath, { readonly: true });
  client.pragma('busy_timeout = 10000');
  const findFolder = client.prepare<[string, string], KnownFolder>(
    `SELECT id, image_name AS imageName, artist_image AS artistImage, signature FROM source_folders
      WHERE source = ? AND path = ?`,
  );
  const listFiles = client.prepare<[number], KnownFile>(`SELECT ${FILE_COLUMNS} FROM source_files WHERE folder_id = ?`);
  const listPresent = client.prepare<[number], KnownFile>(
    `SELECT ${FILE_COLUMNS} FROM source_files WHERE folder_id = ? AND state NOT IN ('gone', 'deleted')`,
  );
  const listAll = client.prepare<[string], FolderPath>(
    'SELECT id, path FROM source_folders WHERE source = ? ORDER BY path',
  );
  const listBelow = client.prepare<[string, string, string, string], FolderPath>(
    // '0' follows '/'
    `SELECT id, path FROM source_folders
      WHERE source = ? AND (path = ? OR (path >= ? || '/' AND path < ? || '0')) ORDER BY path`,
  );
  return {
    folder: (path) => findFolder.get(source, path),
    files: (folderId) => listFiles.all(folderId),
    foldersBelow: (path) => (path === '' ? listAll.all(source) : listBelow.all(source, path, path, path)),
    present: (folderId) => listPresent.all(folderId),
    close: () => client.close(),
  };
}
