// Opens, makes and checks backups in folders, or in the bucket of the environment, without a server.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkBackup } from '../../server/backup/check.ts';
import type { LeaseOptions } from '../../server/backup/lease.ts';
import { openRepository, type Repository } from '../../server/backup/repository.ts';
import { restore, type RestoreOutcome, type RestoreOptions } from '../../server/backup/restore.ts';
import { backUp, type BackupSource, type BackupRun } from '../../server/backup/back-up.ts';
import { targetDeps } from '../../server/backup/service.ts';
import { openTarget } from '../../server/backup/target.ts';
import type { BackupCheckResult, BackupResult } from '../../server/backup/wire.ts';
import { loadConfig } from '../../server/config/config.ts';
import { createLeases } from '../../server/storage/leases.ts';
import { createLocalStorage } from '../../server/storage/local.ts';
import { paths } from './product.ts';

const now = (): Date => new Date();
const { snapshot: workerUrl, blobs: blobWorkerUrl } = paths.workers;

interface Place {
  passphrase?: string | undefined;
  isNew?: boolean;
  env?: Record<string, string | undefined>;
}

/** Opens a backup. `target` is a folder, or `s3` for the bucket of `env`. */
export const openBackup = async (
  target: string,
  { passphrase, isNew = false, env = {} }: Place = {},
): Promise<Repository> =>
  openRepository({
    target: await openTarget(target, targetDeps(loadConfig({ file: {}, env }), now)),
    passphrase,
    isNew,
  });

const sourceOf = (dataDir: string, tmpDir: string, options: Partial<BackupSource>): BackupSource => ({
  storage: createLocalStorage({ root: join(dataDir, 'library') }),
  leases: createLeases(),
  databasePath: join(dataDir, 'tonearm.db'),
  tmpDir,
  workerUrl,
  blobWorkerUrl,
  ownFiles: undefined,
  settings: {},
  keys: null,
  version: '0',
  retention: { daily: 7, weekly: 4 },
  now,
  ...options,
});

/** Backs up a data folder. */
export const backUpInto = (
  repo: Repository,
  dataDir: string,
  tmpDir: string,
  options: Partial<BackupSource & BackupRun & { limits: LeaseOptions['limits'] }> = {},
): Promise<BackupResult> => {
  const { signal = new AbortController().signal, progress = () => undefined, limits, ...source } = options;
  return backUp(repo, sourceOf(dataDir, tmpDir, source), { signal, progress }, limits);
};

/** Checks a backup of a data folder, and reads it completely. */
export const checkFolder = (
  repo: Repository,
  dataDir: string,
  tmpDir: string,
  options: Partial<BackupSource & BackupRun & { share: number }> = {},
): Promise<BackupCheckResult> => {
  const { signal = new AbortController().signal, progress = () => undefined, share = 1, ...source } = options;
  return checkBackup(repo, { source: sourceOf(dataDir, tmpDir, source), share }, { signal, progress });
};

/** Flips a byte in the middle of an object of a backup in a folder. */
export async function damageIn(backup: string, hash: string, target: Place = {}): Promise<void> {
  const { objects } = await openBackup(backup, target);
  await objects.load();
  const blob = objects.findBlob(hash);
  if (!blob) throw new Error(`${hash} is not in the backup`);
  const path = join(backup, 'packs', blob.pack.slice(0, 2), blob.pack);
  const bytes = readFileSync(path);
  const damagedOffset = blob.offset + (blob.length >> 1);
  bytes.writeUInt8(bytes.readUInt8(damagedOffset) ^ 1, damagedOffset);
  writeFileSync(path, bytes);
}

export const restoreFrom = (
  repo: RestoreOptions['repo'],
  dataDir: string,
  options: Partial<RestoreOptions> = {},
): Promise<RestoreOutcome> =>
  restore({
    repo,
    snapshot: undefined,
    replace: false,
    skipDamaged: false,
    musicDir: undefined,
    workerUrl,
    migrationsDir: 'migrations',
    now,
    decide: () => 'keep',
    progress: () => undefined,
    minFreeBytes: 0,
    ...options,
    dataDir,
  });

export const restoreFolder = async (
  backup: string,
  dataDir: string,
  options: Partial<RestoreOptions> = {},
  passphrase?: string,
): Promise<RestoreOutcome> => restoreFrom(await openBackup(backup, { passphrase }), dataDir, options);
