// Earlier versions made backups in an object store with the settings of the library. Where such backups exist, these
// settings are written once as settings of backups, so that backups continue. Settings from the environment are not
// written: see `onlyIfExists`.
import type { Config } from '../config/config.ts';
import { readJsonFile, writeJsonFile } from '../config/json-file.ts';
import type { SecretStore } from '../config/secret-store.ts';
import { isSecretSetting, secretNameOf } from '../config/secrets.ts';
import type { SettingName } from '../config/settings.ts';
import type { MainDb } from '../db/client.ts';
import type { Log } from '../log/log.ts';
import { findBackupBackend } from '../storage/backends.ts';
import { BACKUP_TASK } from './tasks.ts';

export async function migrateBackupSettings(
  config: Config,
  { db, secretStore, log }: { db: MainDb; secretStore: SecretStore; log: Log },
): Promise<Config> {
  const { settings, origins, paths } = config;
  const earlierSettings = findBackupBackend(settings.BACKUP_TARGET)?.earlierBackupSettings?.(settings) ?? {};
  const values = Object.entries(earlierSettings) as [SettingName, unknown][];
  const separateSettings = values.filter(([name]) => origins[name] !== 'default');
  const environmentSettings = values.filter(([name]) => origins[name.replace(/^BACKUP_/, '') as SettingName] === 'env');
  if (values.length === 0 || separateSettings.length + environmentSettings.length > 0 || !hasStoreBackup(db))
    return config;
  for (const [name, value] of values)
    if (isSecretSetting(name)) await secretStore.set(secretNameOf(name), String(value));
  const file = readJsonFile(paths.settingsFile);
  for (const [name, value] of values) if (!isSecretSetting(name)) file[name.toLowerCase()] = value;
  writeJsonFile(paths.settingsFile, file);
  log.info(
    { settings: values.map(([name]) => name) },
    'backups now have their own settings; they were written to the settings file',
  );
  return {
    ...config,
    settings: { ...settings, ...Object.fromEntries(values) },
    origins: { ...origins, ...Object.fromEntries(values.map(([name]) => [name, 'file' as const])) },
  };
}

/**
 * Returns whether a backup was made with the library's settings for a store: the name of such a target contains no
 * address.
 */
const hasStoreBackup = (db: MainDb): boolean =>
  db.$client
    .prepare<[string], string | null>("SELECT result FROM jobs WHERE task = ? AND status = 'succeeded'")
    .pluck()
    .all(BACKUP_TASK.name)
    .some((result) => /"target":"the bucket [^ "]+"/.test(result ?? ''));
