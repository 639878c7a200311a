// Reads what the last scan stored, over a connection of the walking thread: all folders at once (a row each, 10,000 for
// a library of 100,000 tracks), the files of a folder only when it looks different.
import Database from 'better-sqlite3';
import type { RowAs } from '../../db/rows.ts';
import type { playlistFiles, sourceFiles, sourceFolders } from '../../db/schema.ts';
import type { InodeStamp } from '../../files/file-stamp.ts';
import { listFollowedLinks, type FolderLink } from '../../files/folder-links.ts';
import { isBelow } from '../../files/relative-path.ts';

/** A file as the last scan left it. */
export type KnownFile = RowAs<
  typeof sourceFiles,
  'name' | 'sizeBytes' | 'mtimeUs' | 'state' | 'reason' | 'lyricsMark' | 'sheetsMark' | 'trackId' | keyof InodeStamp
>;
/** A playlist file as the last scan left it. */
export type KnownPlaylist = RowAs<typeof playlistFiles, 'path' | 'sizeBytes' | 'mtimeUs'>;
type KnownFolder = RowAs<
  typeof sourceFolders,
  'id' | 'path' | 'imageName' | 'artistImage' | 'signature' | 'linkTarget'
>;

export interface KnownFileLookup {
  /** Returns the stored folder, which then counts as visited. */
  findFolder(path: string): KnownFolder | undefined;
  listFiles(folderId: number): KnownFile[];
  /** Returns the stored folders that the walk has not visited. */
  listUnvisitedFolders(): KnownFolder[];
  /** Returns the files of a folder, without those that are marked gone, or deleted and still in the trash. */
  listPresent(folderId: number): KnownFile[];
  /** Returns the playlist files of all folders, without those that are gone. */
  listPlaylists(): KnownPlaylist[];
  /** Returns whether the folder, or one below it, has such files. */
  hasPresent(path: string): boolean;
  /** Returns the links to folders that the last scan followed, in all music folders. */
  listLinks(): FolderLink[];
}

const FILE_COLUMNS = `name, size_bytes AS sizeBytes, mtime_us AS mtimeUs, dev, ino, ctime_us AS ctimeUs, state, reason,
  lyrics_mark AS lyricsMark, sheets_mark AS sheetsMark, track_id AS trackId`;

/** Reads the folders that are stored at or below `folders` now, without those that this scan will add. */
export function openKnownFiles(
  databasePath: string,
  source: string,
  folders: readonly string[],
): KnownFileLookup & { close(): void } {
  const client = new Database(databasePath, { readonly: true });
  client.pragma('busy_timeout = 10000');
  const listFolders = client.prepare<[string, string, string, string, string], KnownFolder>(
    // '0' is the character after '/'
    `SELECT id, path, image_name AS imageName, artist_image AS artistImage, signature,
      link_target AS linkTarget FROM source_folders
      WHERE source = ? AND (? = '' OR path = ? OR (path >= ? || '/' AND path < ? || '0')) ORDER BY path`,
  );
  const listFiles = client.prepare<[number], KnownFile>(`SELECT ${FILE_COLUMNS} FROM source_files WHERE folder_id = ?`);
  const listPresent = client.prepare<[number], KnownFile>(
    `SELECT ${FILE_COLUMNS} FROM source_files WHERE folder_id = ?
      AND (state NOT IN ('gone', 'deleted') OR state = 'deleted' AND track_id IS NOT NULL)`,
  );
  const listPlaylists = client.prepare<[], KnownPlaylist>(
    'SELECT path, size_bytes AS sizeBytes, mtime_us AS mtimeUs FROM playlist_files WHERE is_gone = 0',
  );
  const folderRows = folders.flatMap((path) => listFolders.all(source, path, path, path, path));
  const foldersByPath = new Map(folderRows.map((folder) => [folder.path, folder]));
  const visitedPaths = new Set<string>();
  return {
    findFolder(path) {
      visitedPaths.add(path);
      return foldersByPath.get(path);
    },
    listFiles: (folderId) => listFiles.all(folderId),
    listUnvisitedFolders: () => [...foldersByPath.values()].filter(({ path }) => !visitedPaths.has(path)),
    listPresent: (folderId) => listPresent.all(folderId),
    listPlaylists: () => listPlaylists.all(),
    hasPresent: (path) =>
      folderRows.some((folder) => isBelow(folder.path, path) && listPresent.all(folder.id).length > 0),
    listLinks: () => listFollowedLinks(client, source),
    close: () => client.close(),
  };
}
