// Restores and imports while the server runs, either into another folder or over the server's own library. In the
// second case the library stays in use until the next start, which moves it aside and the restored one into place.
import { isAbsolute, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { conflict, invalid } from '../errors.ts';
import type { EnqueuedJob, Jobs } from '../jobs/service.ts';
import type { Handler } from '../jobs/tasks.ts';
import type { Arrival } from './arrival-wire.ts';
import { openExport } from './export-source.ts';
import { assertAllowedFolder, findStorageConflict } from './allowed-folders.ts';
import type { Repository } from './repository.ts';
import { contentsOfFolder, forgetRestore, readState, restorePaths, writeState } from './restore-state.ts';
import { restore, restoreAtNextStart, type RestoreOptions } from './restore.ts';
import type { RestoreResult } from './wire.ts';
import { RESTORE_TASK } from './tasks.ts';

interface RestoreDeps {
  config: Config;
  jobs: Pick<Jobs, 'enqueue' | 'list'>;
  /** Opens the configured backup. */
  open: () => Promise<Repository>;
  /** Runs `work` when no backup or check of this server is running. */
  withSlot: <T>(work: () => Promise<T>) => Promise<T>;
  ownFolders: () => string[];
  workerUrl: URL;
  migrationsDir: string;
  now: () => Date;
  minFreeBytes: () => number;
}

interface RestoreRequest {
  snapshot: string;
  folder: string | undefined;
  replace: boolean;
  /** Whether the changes to accounts, settings and folders are taken. */
  isAccepted: boolean;
}

/** A restore or an import over the library of this server. */
export interface PendingRestore {
  snapshot: string;
  /** Whether the restore is complete except for the next start. */
  isReady: boolean;
  isImport: boolean;
  isAccepted: boolean;
  arrival: Arrival | undefined;
}

export type RestoreService = ReturnType<typeof createRestoreService>;

const UNFINISHED_STATUSES = ['queued', 'running', 'waiting'] as const;

export function createRestoreService(deps: RestoreDeps) {
  const { config, jobs, open, withSlot, ownFolders, workerUrl, migrationsDir, now, minFreeBytes } = deps;
  const ownPaths = restorePaths(config.paths.data);

  const task: Handler<typeof RESTORE_TASK> = async (
    { snapshot, folder, from, isAccepted },
    { signal, progress },
  ): Promise<RestoreResult> => {
    const dataDir = folder ?? ownPaths.data;
    const options: RestoreOptions = {
      repo: from === undefined ? await open() : await openExport(from),
      snapshot,
      dataDir,
      replace: folder === undefined,
      skipDamaged: false,
      musicDir: undefined,
      workerUrl,
      migrationsDir,
      now,
      decide: () => (isAccepted ? 'accept' : 'keep'),
      signal,
      progress,
      minFreeBytes: minFreeBytes(),
    };
    const { counts, hasKeys, hasOwnKeys, lost, unnamed, unlistedPacks, isListLost } = await withSlot(() =>
      folder === undefined ? restoreAtNextStart(options) : restore(options),
    );
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
      unnamed,
      unlisted_packs: unlistedPacks,
      is_list_lost: isListLost,
    };
  };

  const listUnfinished = () =>
    UNFINISHED_STATUSES.flatMap(
      (status) => jobs.list({ task: RESTORE_TASK.name, status }, { limit: 10, offset: 0 }).items,
    );

  return {
    task,

    /**
     * Starts a restore. Throws `conflict` when it would replace a library and `replace` is false, `not_found` for an
     * unknown snapshot.
     */
    async start({ snapshot, folder, replace, isAccepted }: RestoreRequest): Promise<EnqueuedJob> {
      if (folder === undefined) assertReplaceable(replace);
      else await assertEmpty(resolve(folder));
      await (await open()).readSnapshot(snapshot);
      return jobs.enqueue(RESTORE_TASK, {
        snapshot,
        isAccepted,
        ...(folder !== undefined && { folder: resolve(folder) }),
      });
    },

    /** Replaces the library of this server by an export in a folder. Throws `conflict` if `replace` is false. */
    async startImport({ folder, replace }: { folder: string; replace: boolean }): Promise<EnqueuedJob> {
      if (!isAbsolute(folder)) throw invalid([{ field: 'folder', message: 'must be an absolute path' }]);
      assertReplaceable(replace);
      const [snapshot = ''] = await (await openExport(resolve(folder))).snapshotIds();
      return jobs.enqueue(RESTORE_TASK, { snapshot, from: resolve(folder), isAccepted: false });
    },

    /** Returns the restore over the library of this server, if one was started. */
    state(): PendingRestore | null {
      const state = readState(ownPaths);
      if (state) return { ...state, arrival: state.arrival, isReady: state.step === 'ready' };
      const [request] = listUnfinished()
        .map(({ payload }) => RESTORE_TASK.payload.parse(payload))
        // such a job has written no state yet: it still waits for the backup
        .filter(({ folder }) => folder === undefined);
      if (!request) return null;
      const { snapshot, from, isAccepted } = request;
      return { snapshot, isReady: false, isImport: from !== undefined, isAccepted, arrival: undefined };
    },

    /**
     * Stores whether the changes are taken at the next start. Throws `conflict` when no restore is ready, or for an
     * import.
     */
    decide(isAccepted: boolean): void {
      const state = readState(ownPaths);
      if (state?.step !== 'ready') throw conflict('No restore is waiting for the next start.');
      if (state.isImport && isAccepted)
        throw conflict('Accounts, settings and folders of an export are never taken; those of this server stay.');
      writeState(ownPaths, { ...state, isAccepted });
    },

    /** Discards the restore over the library of this server. Throws `conflict` while its job runs. */
    async forget(): Promise<void> {
      if (listUnfinished().length > 0) throw conflict('The restore is still running. Cancel its job first.');
      await forgetRestore(ownPaths);
    },
  };

  function assertReplaceable(replace: boolean): void {
    if (!replace)
      throw conflict(
        'This would replace the library of this server. Confirm with `replace`; it is moved aside, not deleted.',
      );
    const storageConflict = findStorageConflict(config);
    if (storageConflict !== undefined) throw conflict(storageConflict);
  }

  async function assertEmpty(folder: string): Promise<void> {
    assertAllowedFolder(folder, ownFolders());
    // the folder does not exist yet, or the job will report the error
    const names = await contentsOfFolder(folder).catch(() => []);
    if (names.length > 0) throw conflict(`${folder} is not empty. Choose an empty folder.`);
  }
}
