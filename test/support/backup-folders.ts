// Backups in folders, or in the bucket of the environment, without a server.
import { join } from 'node:path';
import { openRepository, type Repository } from '../../server/backup/repository.ts';
import { restore, type Restored, type RestoreOptions } from '../../server/backup/restore.ts';
import { backUp, type BackupSource, type Run } from '../../server/backup/run.ts';
import { targetDeps } from '../../server/backup/service.ts';
import { openTarget } from '../../server/backup/target.ts';
import type { BackupResult } from '../../server/backup/wire.ts';
import { loadConfig } from '../../server/config/config.ts';
import { createLeases } from '../../server/storage/leases.ts';
import { createLocalStorage } from '../../server/storage/local.ts';
import { paths } from './product.ts';

const now = (): Date => new Date();
const workerUrl = paths.workers.snapshot;

export interface Place {
  passphrase?: string | undefined;
  isNew?: boolean;
  env?: Record<string, string | undefined>;
}

/** `where`: a folder, or `s3` for the bucket of `env`. */
export const openBackup = async (
  where: string,
  { passphrase, isNew = false, env = {} }: Place = {},
): Promise<Repository> =>
  openRepository({
    target: await openTarget(where, targetDeps(loadConfig({ file: {}, env }), now)),
    passphrase,
    isNew,
  });

/** Backs up a data folder. */
export const backUpInto = (
  repo: Repository,
  dataDir: string,
  tmpDir: string,
  options: Partial<BackupSource & Run> = {},
): Promise<BackupResult> => {
  const { signal = new AbortController().signal, progress = () => undefined, ...source } = options;
  return backUp(
    repo,
    {
      storage: createLocalStorage({ root: join(dataDir, 'library') }),
      leases: createLeases(),
      databasePath: join(dataDir, 'tonearm.db'),
      tmpDir,
      workerUrl,
      ownFiles: undefined,
      settings: {},
      keys: null,
      version: '0',
      keep: { daily: 7, weekly: 4 },
      now,
      ...source,
    },
    { signal, progress },
  );
};

export const restoreFrom = (
  repo: Repository,
  dataDir: string,
  options: Partial<RestoreOptions> = {},
): Promise<Restored> =>
  restore({
    repo,
    snapshot: undefined,
    replace: false,
    skipDamaged: false,
    musicDir: undefined,
    workerUrl,
    now,
    progress: () => undefined,
    ...options,
    dataDir,
  });

export const restoreFolder = async (
  backup: string,
  dataDir: string,
  options: Partial<RestoreOptions> = {},
  passphrase?: string,
): Promise<Restored> => restoreFrom(await openBackup(backup, { passphrase }), dataDir, options);
