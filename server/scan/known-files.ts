// What the last scan saw, read folder by folder over a connection of the walking thread's own.
import Database from 'better-sqlite3';
import type { RowAs, RowOf } from '../db/rows.ts';
import type { sourceFiles, sourceFolders } from '../db/schema.ts';
import type { FileNumbers } from '../files/file-stamp.ts';

/** A file as the last scan left it. */
export type KnownFile = RowAs<
  typeof sourceFiles,
  'name' | 'sizeBytes' | 'mtimeUs' | 'state' | 'reason' | 'lyricsMark' | 'sheetsMark' | 'trackId' | keyof FileNumbers
>;
type KnownFolder = RowAs<typeof sourceFolders, 'id' | 'imageName' | 'artistImage' | 'signature'>;
type FolderPath = RowOf<typeof sourceFolders, 'id' | 'path'>;

export interface KnownFiles {
  /** It counts as seen. */
  folder(path: string): KnownFolder | undefined;
  files(folderId: number): KnownFile[];
  /** Known folders at or below `path` that were not seen. */
  unseenBelow(path: string): FolderPath[];
  /** Files of a folder that are not marked gone, or deleted and still in the trash. */
  present(folderId: number): KnownFile[];
}

const FILE_COLUMNS = `name, size_bytes AS sizeBytes, mtime_us AS mtimeUs, dev, ino, ctime_us AS ctimeUs, state, reason,
  lyrics_mark AS lyricsMark, sheets_mark AS sheetsMark, track_id AS trackId`;

/** Folders that are read with the one asked for: a walk asks nearly in the order of their paths. */
const FOLDERS_AHEAD = 500;

/**
 * `seen` has a byte for each folder that was known when the walk began, by id: 1 once it was asked for. Later ones were
 * made by the scan itself. Ids are never used again.
 */
export function openKnownFiles(
  databasePath: string,
  source: string,
  seen: SharedArrayBuffer,
): KnownFiles & { close(): void } {
  const isSeen = new Uint8Array(seen);
  const client = new Database(databasePath, { readonly: true });
  client.pragma('busy_timeout = 10000');
  const findFolder = client.prepare<[string, string], KnownFolder>(
    `SELECT id, image_name AS imageName, artist_image AS artistImage, signature FROM source_folders
      WHERE source = ? AND path = ?`,
  );
  const listAhead = client.prepare<[string, string], KnownFolder & RowOf<typeof sourceFolders, 'path'>>(
    `SELECT path, id, image_name AS imageName, artist_image AS artistImage, signature FROM source_folders
      WHERE source = ? AND path >= ? ORDER BY path LIMIT ${FOLDERS_AHEAD}`,
  );
  const listFiles = client.prepare<[number], KnownFile>(`SELECT ${FILE_COLUMNS} FROM source_files WHERE folder_id = ?`);
  const listPresent = client.prepare<[number], KnownFile>(
    `SELECT ${FILE_COLUMNS} FROM source_files WHERE folder_id = ?
      AND (state NOT IN ('gone', 'deleted') OR state = 'deleted' AND track_id IS NOT NULL)`,
  );
  const listAll = client.prepare<[string], FolderPath>(
    'SELECT id, path FROM source_folders WHERE source = ? ORDER BY path',
  );
  const listBelow = client.prepare<[string, string, string, string], FolderPath>(
    // '0' follows '/'
    `SELECT id, path FROM source_folders
      WHERE source = ? AND (path = ? OR (path >= ? || '/' AND path < ? || '0')) ORDER BY path`,
  );
  let ahead = new Map<string, KnownFolder>();
  function find(path: string): KnownFolder | undefined {
    const read = ahead.get(path);
    if (read) return read;
    const found = findFolder.get(source, path);
    // a new one has no neighbours to read
    if (found) ahead = new Map(listAhead.all(source, path).map((folder) => [folder.path, folder]));
    return found;
  }
  return {
    folder(path) {
      const found = find(path);
      if (found && found.id < isSeen.length) isSeen[found.id] = 1;
      return found;
    },
    files: (folderId) => listFiles.all(folderId),
    unseenBelow: (path) =>
      (path === '' ? listAll.all(source) : listBelow.all(source, path, path, path)).filter(
        ({ id }) => isSeen[id] === 0,
      ),
    present: (folderId) => listPresent.all(folderId),
    close: () => client.close(),
  };
}
