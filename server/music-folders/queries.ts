// The statements of music folders: for their own rows, and for those of the tracks and files in them.
import { eq } from 'drizzle-orm';
import { type MainDb, type Sqlite, writtenRow } from '../db/client.ts';
import type { MusicFolderId, TrackId } from '../db/ids.ts';
import { musicFolders } from '../db/schema.ts';

export type NewMusicFolder = typeof musicFolders.$inferInsert;

export function createMusicFolderRows(db: MainDb) {
  const findFolder = db.$client.prepare<[string]>(
    "SELECT 1 FROM source_folders WHERE source = 'local_folder' AND path = ?",
  );

  return {
    /** Returns whether the first music folder has a folder at this path. */
    isFolder: (path: string): boolean => findFolder.get(path) !== undefined,
    insert: (values: NewMusicFolder): MusicFolderId =>
      writtenRow(db.insert(musicFolders).values(values).returning({ id: musicFolders.id })).id,
    update: (id: MusicFolderId, values: Partial<NewMusicFolder>): void =>
      void db.update(musicFolders).set(values).where(eq(musicFolders.id, id)).run(),
  };
}

const TRACKS_PER_STEP = 20;
const FOLDERS_PER_STEP = 100;

/**
 * Returns a condition of SQL: a path or source id is in the music folder whose key is @key, or is that folder. @keys
 * are the keys of all folders. `column` has the name of its table, because json_each has columns of its own. The bound
 * `:0` comes right after `:/`.
 */
const inFolderCondition = (column: string): string => {
  const conditionFor = (key: string) =>
    `${column} = ${key} || ':' OR (${column} >= ${key} || ':/' AND ${column} < ${key} || ':0')`;
  return `iif(@key <> '', ${conditionFor('@key')},
    NOT EXISTS (SELECT 1 FROM json_each(@keys) k WHERE k.value <> '' AND (${conditionFor('k.value')})))`;
};
const PATH_OF_URI = "substr(tracks.storage_uri, length('file:') + 1)";

export interface FolderKeys {
  key: string;
  keys: string;
}

/** Creates statements that read the tracks and files of a music folder, a page at a time. */
export function createMusicFolderQueries(client: Sqlite) {
  // the condition uses the storage URI, because the source id of a track whose path another file took does not begin
  // with its folder
  const indexedTracks = `FROM tracks
    WHERE source = 'local_folder' AND storage_uri LIKE 'file:%' AND ${inFolderCondition(PATH_OF_URI)}`;
  const countIndexed = client.prepare<[FolderKeys], number>(`SELECT count(*) ${indexedTracks}`).pluck();
  const listIndexed = client
    .prepare<[FolderKeys & { after: number }], TrackId>(
      `SELECT id ${indexedTracks} AND id > @after ORDER BY id LIMIT ${TRACKS_PER_STEP}`,
    )
    .pluck();
  const listFolders = client
    .prepare<[FolderKeys & { after: number }], number>(
      `SELECT id FROM source_folders WHERE source = 'local_folder' AND id > @after
        AND ${inFolderCondition('source_folders.path')} ORDER BY id LIMIT ${FOLDERS_PER_STEP}`,
    )
    .pluck();
  const forgetFailed = client.prepare<[number]>("DELETE FROM source_files WHERE folder_id = ? AND state = 'failed'");
  const setGone = client.prepare<[number]>(
    "UPDATE source_files SET state = 'gone' WHERE folder_id = ? AND state <> 'deleted'",
  );
  /** Marks a restored track as missing until the scan finds its file. */
  const setMissing = client.prepare<[TrackId]>(
    "UPDATE tracks SET availability = 'missing' WHERE id = ? AND storage_uri LIKE 'file:%'",
  );
  const clearSignature = client.prepare<[number]>('UPDATE source_folders SET signature = NULL WHERE id = ?');
  const deletedTracks = `FROM trashed_tracks WHERE source = 'local_folder' AND deleted_at >= @since
      AND merged_into IS NULL AND is_hidden = 0 AND ${inFolderCondition('trashed_tracks.source_id')}`;
  const countDeleted = client
    .prepare<[FolderKeys & { since: number }], number>(`SELECT count(*) ${deletedTracks}`)
    .pluck();
  const listDeleted = client
    .prepare<[FolderKeys & { since: number; after: number }], TrackId>(
      `SELECT id ${deletedTracks} AND id > @after ORDER BY id LIMIT ${TRACKS_PER_STEP}`,
    )
    .pluck();

  return {
    countIndexed,
    listIndexed,
    listFolders,
    forgetFailed,
    setGone,
    setMissing,
    clearSignature,
    countDeleted,
    listDeleted,
  };
}
