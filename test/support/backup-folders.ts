// Backups in folders, without a server.
import { join } from 'node:path';
import { openRepository, type Repository } from '../../server/backup/repository.ts';
import { restore, type Restored, type RestoreWish } from '../../server/backup/restore.ts';
import { backUp } from '../../server/backup/run.ts';
import { openTarget } from '../../server/backup/target.ts';
import type { BackupResult } from '../../server/backup/wire.ts';
import { loadConfig } from '../../server/config/config.ts';
import { productPaths } from '../../server/paths.ts';
import { createClaims } from '../../server/storage/claims.ts';
import { createLocalStorage } from '../../server/storage/local.ts';

const root = join(import.meta.dirname, '..', '..');
const now = (): Date => new Date();

export async function openBackup(folder: string, passphrase?: string, isNew = false): Promise<Repository> {
  const { settings } = loadConfig({ file: {}, env: {} });
  return openRepository({ target: await openTarget(folder, { settings, openBucket: () => Promise.reject(new Error('there is no bucket')), now }), passphrase, isNew });
}

export async function backUpFolder(dataDir: string, backup: string, tmpDir: string): Promise<BackupResult> {
  return backUp(await openBackup(backup, undefined, true), {
    storage: createLocalStorage({ root: join(dataDir, 'library') }), claims: createClaims(), databasePath: join(dataDir, 'tonearm.db'), tmpDir,
    workerUrl: productPaths(root, false).workers.snapshot, ownFiles: undefined, settings: {}, keys: null, version: '0', keep: { daily: 7, weekly: 4 }, now,
  }, { signal: new AbortController().signal, progress: () => undefined });
}

export async function restoreFolder(backup: string, dataDir: string, wish: Partial<RestoreWish> = {}, passphrase?: string): Promise<Restored> {
  return restore({ repo: await openBackup(backup, passphrase), snapshot: undefined, replace: false, skipDamaged: false, musicDir: undefined, now, progress: () => undefined, ...wish, dataDir });
}
