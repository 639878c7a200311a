// The data folder, taken for this process alone, with its secrets and its database.
import { join } from 'node:path';
import { assertNotHalfRestored } from './backup/restore-state.ts';
import type { Config } from './config/config.ts';
import { keepPrivate } from './config/private-files.ts';
import { openSecretStore } from './config/secret-store.ts';
import { adoptWrittenSecrets, loadSecrets, withStoredSettings } from './config/secrets.ts';
import { openDatabase } from './db/client.ts';
import { lockDataFolder } from './db/data-lock.ts';
import type { Log } from './log/log.ts';
import type { Module } from './module.ts';
import type { ProductPaths } from './paths.ts';
import { makeFolder, type FolderWords } from './runtime/folders.ts';

export const DATA_FOLDER: FolderWords = {
  name: 'The data folder',
  remedy: 'Choose another one with --data-dir or DATA_DIR.',
};

/** Lets the folder go again when something in it cannot be opened. */
export async function openDataFolder(given: Config, paths: ProductPaths, log: Log) {
  const { data, database, secretsFile } = given.paths;
  makeFolder(data, DATA_FOLDER);
  keepPrivate(data, log);
  const unlock = lockDataFolder(join(data, 'tonearm.lock'), data);
  try {
    assertNotHalfRestored(data);
    const secretStore = await openSecretStore({ file: secretsFile, wish: given.settings.SECRET_STORE, log });
    const config = await withStoredSettings(await adoptWrittenSecrets(given, secretStore), secretStore);
    const secrets = await loadSecrets(config.settings, secretStore);
    const db = openDatabase({ path: database, migrationsDir: paths.migrations, log });
    return {
      offers: { config, db, secretStore, secrets },
      close(): void {
        db.$client.close();
        unlock();
      },
    } satisfies Module;
  } catch (error) {
    unlock();
    throw error;
  }
}
