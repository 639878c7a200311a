import type { SecretStore } from '../config/secret-store.ts';
import type { Secrets } from '../config/secrets.ts';
import type { Base, Module } from '../module.ts';
import type { PlaylistService } from '../playlists/service.ts';
import type { StorageOffer } from '../storage/module.ts';
import { createExportService } from './export.ts';
import { createRestoreService } from './restore-service.ts';
import { backupRoutes } from './routes.ts';
import { createBackupService, type BackupDeps } from './service.ts';
import { warnOfSharedTarget } from './target.ts';
import { BACKUP_TASK, CHECK_TASK, EXPORT_TASK, RESTORE_TASK } from './tasks.ts';
import { handledBy } from '../jobs/tasks.ts';

export interface BackupTuning {
  /** Time limits of requests to the object store. */
  storeLimits?: NonNullable<BackupDeps['storeLimits']>;
}

type BackupModuleDeps = Base &
  StorageOffer & { playlists: PlaylistService; secrets: Secrets; secretStore: SecretStore; tuning: BackupTuning };

export function backupModule({ audioStore, playlists, tuning, ...deps }: BackupModuleDeps) {
  const { config, paths, db, storage, leases, musicFolders, jobs, log, version, now } = deps;
  const { snapshot: workerUrl, blobs: blobWorkerUrl } = paths.workers;
  const ownFolders = (): string[] => [
    config.paths.data,
    config.paths.storageRoot,
    ...musicFolders.list().map(({ path }) => path),
  ];
  const backups = createBackupService({ ...deps, ...tuning, workerUrl, blobWorkerUrl, ownFolders });
  const restores = createRestoreService({
    config,
    jobs,
    open: () => backups.open(),
    withSlot: backups.withSlot,
    ownFolders,
    workerUrl,
    migrationsDir: paths.migrations,
    now,
    minFreeBytes: () => deps.settings.get('MIN_FREE_BYTES'),
  });
  const exports = createExportService({
    db,
    storage,
    leases,
    audioStore,
    playlists,
    jobs,
    workerUrl,
    version,
    now,
    ownFolders,
    tmpDir: config.paths.tmp,
    databasePath: config.paths.database,
  });
  return {
    offers: { backups, exports },
    routes: backupRoutes({ backups, restores, exports }),
    tasks: [
      handledBy(BACKUP_TASK, backups.task),
      handledBy(CHECK_TASK, backups.checkTask),
      handledBy(RESTORE_TASK, restores.task),
      handledBy(EXPORT_TASK, exports.task),
    ],
    start(): void {
      warnOfSharedTarget(config, log);
      backups.startSchedule();
    },
    stop: backups.close,
  } satisfies Module;
}
