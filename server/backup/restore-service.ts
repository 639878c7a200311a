// Restoring while the server runs: into another folder, or beside its own library. That one goes on as it is until the
// next start, which moves it aside and puts what was restored into its place.
import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { conflict } from '../errors.ts';
import type { EnqueuedJob, Jobs } from '../jobs/service.ts';
import type { Handler } from '../jobs/tasks.ts';
import { assertOutside, placeElsewhere } from './own-folders.ts';
import type { Repository } from './repository.ts';
import { contentsOfFolder, forgetRestore, readState, restorePaths } from './restore-state.ts';
import { restore, restoreAtNextStart, type RestoreWish } from './restore.ts';
import type { RestoreResult } from './wire.ts';
import { RESTORE_TASK } from './tasks.ts';

export interface RestoreDeps {
  config: Config;
  jobs: Pick<Jobs, 'enqueue' | 'list'>;
  /** The backup that is set. */
  open: () => Promise<Repository>;
  ownFolders: () => string[];
  workerUrl: URL;
  now: () => Date;
}

export interface RestoreOrder {
  snapshot: string;
  folder: string | undefined;
  replace: boolean;
}

export type RestoreService = ReturnType<typeof createRestoreService>;

const UNFINISHED = ['queued', 'running', 'waiting'] as const;

export function createRestoreService({ config, jobs, open, ownFolders, workerUrl, now }: RestoreDeps) {
  const own = restorePaths(config.paths.data);

  const task: Handler<typeof RESTORE_TASK> = async (
    { snapshot, folder },
    { signal, progress },
  ): Promise<RestoreResult> => {
    const dataDir = folder ?? own.data;
    const wish: RestoreWish = {
      repo: await open(),
      snapshot,
      dataDir,
      replace: folder === undefined,
      skipDamaged: false,
      musicDir: undefined,
      workerUrl,
      now,
      signal,
      progress,
    };
    const { counts, hasKeys, hasOwnKeys, lost } = await (folder === undefined
      ? restoreAtNextStart(wish)
      : restore(wish));
    const { tracks, files, covers } = counts;
    return {
      snapshot,
      folder: dataDir,
      is_restart_needed: folder === undefined,
      tracks,
      files,
      covers,
      has_keys: hasKeys || hasOwnKeys,
      absent: lost.length,
    };
  };

  const isUnderWay = (): boolean =>
    UNFINISHED.some((status) => jobs.list({ task: RESTORE_TASK.name, status }, { limit: 1, offset: 0 }).total > 0);

  return {
    task,

    /**
     * Throws `conflict` when it would take the place of something and nobody said that it may, `not_found` when there
     * is no such snapshot.
     */
    async start({ snapshot, folder, replace }: RestoreOrder): Promise<EnqueuedJob> {
      if (folder === undefined) assertReplaceable(replace);
      else await assertEmpty(resolve(folder));
      await (await open()).readSnapshot(snapshot);
      return jobs.enqueue(RESTORE_TASK, { snapshot, ...(folder !== undefined && { folder: resolve(folder) }) });
    },

    /** The restore over this library that was begun, if there is one. */
    state(): { snapshot: string; isReady: boolean } | null {
      const state = readState(own);
      return state ? { snapshot: state.snapshot, isReady: state.step === 'ready' } : null;
    },

    /** Everything stays as it is. Throws `conflict` while it is being fetched. */
    async forget(): Promise<void> {
      if (isUnderWay()) throw conflict('It is still being fetched. Cancel that job first.');
      await forgetRestore(own);
    },
  };

  function assertReplaceable(replace: boolean): void {
    if (!replace)
      throw conflict(
        'There is a library here. To have the backup in its place, say that it may be replaced: it is moved ' +
          'aside then, and not deleted.',
      );
    const elsewhere = placeElsewhere(config);
    if (elsewhere !== undefined) throw conflict(elsewhere);
  }

  async function assertEmpty(folder: string): Promise<void> {
    assertOutside(folder, ownFolders());
    const there = await contentsOfFolder(folder).catch(() => []); // not there yet, or told by the job
    if (there.length > 0) throw conflict(`There is something in ${folder} already. Choose an empty folder.`);
  }
}
