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
import { createMusicFolderQueries, type FolderKeys } from './queries.ts';

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

interface MusicFolderTaskDeps {
  db: MainDb;
  musicFolders: MusicFolders;
  trash: Pick<Trash, 'put' | 'restore'>;
  /** Called inside the transaction that deletes a track. */
  onDeleted: (id: TrackId) => void;
  libraryChanged: () => void;
  jobs: Pick<Jobs, 'tryEnqueue'>;
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
  const queries = createMusicFolderQueries(client);

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
    let doneCount = 0;
    for (let lastId = 0; ;) {
      signal.throwIfAborted();
      const ids = listNext(lastId);
      const nextLastId = ids.at(-1);
      if (nextLastId === undefined) return doneCount;
      for (const id of ids) {
        work(id);
        await yieldIfDue();
      }
      lastId = nextLastId;
      doneCount += ids.length;
      progress(doneCount, total);
      libraryChanged();
    }
  }

  /**
   * Marks all files of a folder as gone, so that a scan recognizes their audio in another folder. Files of tracks that
   * people deleted keep their state: they are not added again when the folder is restored.
   */
  async function markFilesGone(folderKeys: FolderKeys, { signal }: JobContext): Promise<void> {
    const markFolderGone = client.transaction((id: number): void => {
      queries.forgetFailed.run(id);
      queries.setGone.run(id);
      queries.clearSignature.run(id);
    }).immediate;
    for (let lastId = 0; ;) {
      signal.throwIfAborted();
      const ids = queries.listFolders.all({ ...folderKeys, after: lastId });
      const nextLastId = ids.at(-1);
      if (nextLastId === undefined) return;
      for (const id of ids) {
        markFolderGone(id);
        await yieldIfDue();
      }
      lastId = nextLastId;
    }
  }

  const isFolderSet = (id: number): boolean => musicFolders.find(id)?.isConfigured !== false;

  const clear: Handler<typeof CLEAR_MUSIC_FOLDER> = async ({ folderId, by }, context) => {
    if (isFolderSet(folderId)) return { trashed: 0 }; // the folder has been restored in the meantime
    const folderKeys = folderKeysOf(folderId);
    await markFilesGone(folderKeys, context);
    const moveToTrash = (id: TrackId): void =>
      void db.transaction((tx) => trash.put(tx, by, id, () => deps.onDeleted(id)), {
        behavior: 'immediate',
      });
    const trashedCount = await forEachTrack(
      queries.countIndexed.get(folderKeys) ?? 0,
      (lastId) => (isFolderSet(folderId) ? [] : queries.listIndexed.all({ ...folderKeys, after: lastId })),
      moveToTrash,
      context,
    );
    return { trashed: trashedCount };
  };

  const restore: Handler<typeof RESTORE_MUSIC_FOLDER> = async ({ folderId, removedAt }, context) => {
    const folderKeys = { ...folderKeysOf(folderId), since: removedAt };
    const restoredCount = await forEachTrack(
      queries.countDeleted.get(folderKeys) ?? 0,
      (lastId) => queries.listDeleted.all({ ...folderKeys, after: lastId }),
      (id) =>
        db.transaction(
          (tx) => {
            trash.restore(tx, id);
            queries.setMissing.run(id);
          },
          { behavior: 'immediate' },
        ),
      context,
    );
    await jobs.tryEnqueue(
      SCAN_LOCAL_FOLDER,
      scanPayload({ folders: [rootPathOf(folderKeys.key) || FIRST_FOLDER_ONLY] }),
    );
    return { restored: restoredCount };
  };

  return { clear, restore };
}
