// Moves the tracks of a removed music folder to the trash, and restores them with the folder.
import { z } from 'zod';
import type { MusicFolders } from '../config/music-folders.ts';
import type { MainDb } from '../db/client.ts';
import { MusicFolderIdIn, UserIdIn, type TrackId } from '../db/ids.ts';
import type { Jobs } from '../jobs/service.ts';
import { task, type Handler, type JobContext } from '../jobs/tasks.ts';
import type { Trash } from '../library/trash/trash.ts';
import { SCAN_LOCAL_FOLDER, scanPayload } from '../scan/tasks.ts';
import { FIRST_FOLDER_ONLY, rootPathOf } from '../storage/music-roots.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';

/** Moves the tracks of a removed folder to the trash, unless their files were copied. */
export const CLEAR_MUSIC_FOLDER = task('clear_music_folder', {
  payload: z.strictObject({ folderId: MusicFolderIdIn, by: UserIdIn.nullable() }),
  attempts: 3,
  uniqueBy: ({ folderId }) => folderId,
  concurrency: 1,
});

/** Restores the tracks that the removal of a folder moved to the trash, and scans the folder. */
export const RESTORE_MUSIC_FOLDER = task('restore_music_folder', {
  payload: z.strictObject({ folderId: MusicFolderIdIn, removedAt: z.int() }),
  attempts: 3,
  uniqueBy: ({ folderId }) => folderId,
  concurrency: 1,
});

const TRACKS_PER_STEP = 20;
const FOLDERS_PER_STEP = 100;

interface MusicFolderTaskDeps {
  db: MainDb;
  musicFolders: MusicFolders;
  trash: Pick<Trash, 'put' | 'restore'>;
  /** Called inside the transaction that deletes a track. */
  onDeleted: (id: TrackId) => void;
  libraryChanged: () => void;
  jobs: Pick<Jobs, 'tryEnqueue'>;
}

/**
 * Returns a condition of SQL: a path or source id is in the music folder whose key is @key, or is that folder. @keys
 * are the keys of all folders. `column` has the name of its table, because json_each has columns of its own. The bound
 * `:0` comes right after `:/`.
 */
const inFolderCondition = (column: string): string => {
  const isIn = (key: string) =>
    `${column} = ${key} || ':' OR (${column} >= ${key} || ':/' AND ${column} < ${key} || ':0')`;
  return `iif(@key <> '', ${isIn('@key')},
    NOT EXISTS (SELECT 1 FROM json_each(@keys) k WHERE k.value <> '' AND (${isIn('k.value')})))`;
};
const PATH_OF_URI = "substr(tracks.storage_uri, length('file:') + 1)";

interface FolderKeys {
  key: string;
  keys: string;
}

export function createMusicFolderTasks({
  db,
  musicFolders,
  trash,
  libraryChanged,
  jobs,
  ...deps
}: MusicFolderTaskDeps) {
  const client = db.$client;
  // the condition is on the storage URI: the source id of a track whose place another track took begins differently
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
  /** Until the scan finds the file, a restored track is missing. */
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

  function folderKeysOf(id: number): FolderKeys {
    const key = musicFolders.find(id)?.key ?? '';
    return { key, keys: JSON.stringify(musicFolders.roots().map((root) => root.key)) };
  }

  async function forEachTrack(
    total: number,
    listNext: (lastId: number) => TrackId[],
    work: (id: TrackId) => void,
    { signal, progress }: JobContext,
  ): Promise<number> {
    let done = 0;
    for (let lastId = 0; ;) {
      signal.throwIfAborted();
      const ids = listNext(lastId);
      const nextLastId = ids.at(-1);
      if (nextLastId === undefined) return done;
      for (const id of ids) {
        work(id);
        await yieldIfDue();
      }
      lastId = nextLastId;
      done += ids.length;
      progress(done, total);
      libraryChanged();
    }
  }

  /**
   * Marks all files of a folder as gone, so that a scan recognizes their audio in another folder. Files of tracks that
   * people deleted keep their state: they are not added again when the folder is restored.
   */
  async function markFilesGone(folderKeys: FolderKeys, { signal }: JobContext): Promise<void> {
    const markFolderGone = client.transaction((id: number): void => {
      forgetFailed.run(id);
      setGone.run(id);
      clearSignature.run(id);
    }).immediate;
    for (let lastId = 0; ;) {
      signal.throwIfAborted();
      const ids = listFolders.all({ ...folderKeys, after: lastId });
      const nextLastId = ids.at(-1);
      if (nextLastId === undefined) return;
      for (const id of ids) {
        markFolderGone(id);
        await yieldIfDue();
      }
      lastId = nextLastId;
    }
  }

  const isSet = (id: number): boolean => musicFolders.find(id)?.isSet !== false;

  const clear: Handler<typeof CLEAR_MUSIC_FOLDER> = async ({ folderId, by }, context) => {
    if (isSet(folderId)) return { trashed: 0 }; // the folder was restored meanwhile
    const folderKeys = folderKeysOf(folderId);
    await markFilesGone(folderKeys, context);
    const moveToTrash = (id: TrackId): void =>
      void db.transaction((tx) => trash.put(tx, by, id, () => deps.onDeleted(id)), {
        behavior: 'immediate',
      });
    const trashed = await forEachTrack(
      countIndexed.get(folderKeys) ?? 0,
      (lastId) => (isSet(folderId) ? [] : listIndexed.all({ ...folderKeys, after: lastId })),
      moveToTrash,
      context,
    );
    return { trashed };
  };

  const restore: Handler<typeof RESTORE_MUSIC_FOLDER> = async ({ folderId, removedAt }, context) => {
    const folderKeys = { ...folderKeysOf(folderId), since: removedAt };
    const restored = await forEachTrack(
      countDeleted.get(folderKeys) ?? 0,
      (lastId) => listDeleted.all({ ...folderKeys, after: lastId }),
      (id) =>
        db.transaction(
          (tx) => {
            trash.restore(tx, id);
            setMissing.run(id);
          },
          { behavior: 'immediate' },
        ),
      context,
    );
    await jobs.tryEnqueue(
      SCAN_LOCAL_FOLDER,
      scanPayload({ folders: [rootPathOf(folderKeys.key) || FIRST_FOLDER_ONLY] }),
    );
    return { restored };
  };

  return { clear, restore };
}
