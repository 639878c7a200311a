// What becomes of the tracks of a folder that is removed, or brought back.
import { z } from 'zod';
import type { MusicFolders } from '../config/music-folders.ts';
import type { MainDb } from '../db/client.ts';
import { MusicFolderIdIn, UserIdIn, type TrackId } from '../db/ids.ts';
import type { Jobs } from '../jobs/service.ts';
import { task, type Handler, type JobContext } from '../jobs/tasks.ts';
import type { Trash } from '../library/trash.ts';
import { SCAN_LOCAL_FOLDER, scanPayload } from '../scan/tasks.ts';
import { FIRST_FOLDER_ONLY, rootPathOf } from '../storage/music-roots.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';

/** Moves the tracks of a removed folder into the trash, unless their files were copied. */
export const CLEAR_MUSIC_FOLDER = task('clear_music_folder', {
  payload: z.strictObject({ folderId: MusicFolderIdIn, by: UserIdIn.nullable() }),
  attempts: 3,
  uniqueBy: ({ folderId }) => folderId,
  concurrency: 1,
});

/** Brings the tracks of a folder back that its removal moved into the trash, and scans it. */
export const RESTORE_MUSIC_FOLDER = task('restore_music_folder', {
  payload: z.strictObject({ folderId: MusicFolderIdIn, removedAt: z.int() }),
  attempts: 3,
  uniqueBy: ({ folderId }) => folderId,
  concurrency: 1,
});

const AT_ONCE = 20;
const FOLDERS_AT_ONCE = 100;

interface MusicFolderTaskDeps {
  db: MainDb;
  musicFolders: MusicFolders;
  trash: Pick<Trash, 'put' | 'restore'>;
  /** A track was deleted; called inside the transaction. */
  onDeleted: (id: TrackId) => void;
  libraryChanged: () => void;
  jobs: Pick<Jobs, 'tryEnqueue'>;
}

/**
 * A path or source id `p` is in the folder whose key is @key, or is that folder; @keys are those of all. `p` names its
 * table, because json_each has columns of its own. `0` follows `/`.
 */
const IN_FOLDER = (p: string): string => {
  const isIn = (key: string) => `${p} = ${key} || ':' OR (${p} >= ${key} || ':/' AND ${p} < ${key} || ':0')`;
  return `iif(@key <> '', ${isIn('@key')},
    NOT EXISTS (SELECT 1 FROM json_each(@keys) k WHERE k.value <> '' AND (${isIn('k.value')})))`;
};
/** Of a `file:` URI. */
const PATH = "substr(tracks.storage_uri, length('file:') + 1)";

interface InFolder {
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
  // by where the audio is: a track whose place another one has got has a source id that begins otherwise
  const indexed = `FROM tracks
    WHERE source = 'local_folder' AND storage_uri LIKE 'file:%' AND ${IN_FOLDER(PATH)}`;
  const countIndexed = client.prepare<[InFolder], number>(`SELECT count(*) ${indexed}`).pluck();
  const listIndexed = client
    .prepare<[InFolder & { after: number }], TrackId>(
      `SELECT id ${indexed} AND id > @after ORDER BY id LIMIT ${AT_ONCE}`,
    )
    .pluck();
  const listFolders = client
    .prepare<[InFolder & { after: number }], number>(
      `SELECT id FROM source_folders WHERE source = 'local_folder' AND id > @after
        AND ${IN_FOLDER('source_folders.path')} ORDER BY id LIMIT ${FOLDERS_AT_ONCE}`,
    )
    .pluck();
  const forgetFailed = client.prepare<[number]>("DELETE FROM source_files WHERE folder_id = ? AND state = 'failed'");
  const setGone = client.prepare<[number]>(
    "UPDATE source_files SET state = 'gone' WHERE folder_id = ? AND state <> 'deleted'",
  );
  /** The scan tells whether its file is still there. */
  const setMissing = client.prepare<[TrackId]>(
    "UPDATE tracks SET availability = 'missing' WHERE id = ? AND storage_uri LIKE 'file:%'",
  );
  const clearSignature = client.prepare<[number]>('UPDATE source_folders SET signature = NULL WHERE id = ?');
  const deleted = `FROM trashed_tracks WHERE source = 'local_folder' AND deleted_at >= @since
      AND merged_into IS NULL AND is_hidden = 0 AND ${IN_FOLDER('trashed_tracks.source_id')}`;
  const countDeleted = client.prepare<[InFolder & { since: number }], number>(`SELECT count(*) ${deleted}`).pluck();
  const listDeleted = client
    .prepare<[InFolder & { since: number; after: number }], TrackId>(
      `SELECT id ${deleted} AND id > @after ORDER BY id LIMIT ${AT_ONCE}`,
    )
    .pluck();

  function inFolder(id: number): InFolder {
    const key = musicFolders.find(id)?.key ?? '';
    return { key, keys: JSON.stringify(musicFolders.roots().map((root) => root.key)) };
  }

  async function inTurns(
    total: number,
    next: (after: number) => TrackId[],
    work: (id: TrackId) => void,
    { signal, progress }: JobContext,
  ): Promise<number> {
    let done = 0;
    for (let after = 0; ;) {
      signal.throwIfAborted();
      const ids = next(after);
      const last = ids.at(-1);
      if (last === undefined) return done;
      for (const id of ids) {
        work(id);
        await yieldIfDue();
      }
      after = last;
      done += ids.length;
      progress(done, total);
      libraryChanged();
    }
  }

  /**
   * Its files are gone: a track is found by its audio, wherever that comes up. Files of tracks that people deleted stay
   * known as such, so that they are not added again when the folder is brought back.
   */
  async function setAllGone(where: InFolder, { signal }: JobContext): Promise<void> {
    const setFolderGone = client.transaction((id: number): void => {
      forgetFailed.run(id);
      setGone.run(id);
      clearSignature.run(id);
    }).immediate;
    for (let after = 0; ;) {
      signal.throwIfAborted();
      const ids = listFolders.all({ ...where, after });
      const last = ids.at(-1);
      if (last === undefined) return;
      for (const id of ids) {
        setFolderGone(id);
        await yieldIfDue();
      }
      after = last;
    }
  }

  const isSet = (id: number): boolean => musicFolders.find(id)?.isSet !== false;

  const clear: Handler<typeof CLEAR_MUSIC_FOLDER> = async ({ folderId, by }, context) => {
    if (isSet(folderId)) return { trashed: 0 }; // it was brought back meanwhile
    const where = inFolder(folderId);
    await setAllGone(where, context);
    const put = (id: TrackId): void =>
      void db.transaction((tx) => trash.put(tx, by, id, () => deps.onDeleted(id)), {
        behavior: 'immediate',
      });
    const trashed = await inTurns(
      countIndexed.get(where) ?? 0,
      (after) => (isSet(folderId) ? [] : listIndexed.all({ ...where, after })),
      put,
      context,
    );
    return { trashed };
  };

  const restore: Handler<typeof RESTORE_MUSIC_FOLDER> = async ({ folderId, removedAt }, context) => {
    const where = { ...inFolder(folderId), since: removedAt };
    const restored = await inTurns(
      countDeleted.get(where) ?? 0,
      (after) => listDeleted.all({ ...where, after }),
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
    await jobs.tryEnqueue(SCAN_LOCAL_FOLDER, scanPayload({ folders: [rootPathOf(where.key) || FIRST_FOLDER_ONLY] }));
    return { restored };
  };

  return { clear, restore };
}
