// Backups in an object store had no settings of their own, but used those of the library. Where backups were made that
// way, the settings are written out once, so that they go on. Those from the environment cannot be: see `onlyIfThere`.
import type { Config } from '../config/config.ts';
import { readJsonFile, writeJsonFile } from '../config/json-file.ts';
import type { SecretStore } from '../config/secret-store.ts';
import { isSecretSetting, secretNameOf } from '../config/secrets.ts';
import type { SettingName } from '../config/settings.ts';
import type { MainDb } from '../db/client.ts';
import type { Log } from '../log/log.ts';
import { findBackupBackend } from '../storage/backends.ts';
import { BACKUP_TASK } from './tasks.ts';

export async function writeOutBackupSettings(
  config: Config,
  { db, secretStore, log }: { db: MainDb; secretStore: SecretStore; log: Log },
): Promise<Config> {
  const { settings, origins, paths } = config;
  const before = findBackupBackend(settings.BACKUP_TARGET)?.earlierBackupSettings?.(settings) ?? {};
  const values = Object.entries(before) as [SettingName, unknown][];
  const own = values.filter(([name]) => origins[name] !== 'default');
  const fromEnv = values.filter(([name]) => origins[name.replace(/^BACKUP_/, '') as SettingName] === 'env');
  if (values.length === 0 || own.length + fromEnv.length > 0 || !wasBackedUp(db)) return config;
  for (const [name, value] of values)
    if (isSecretSetting(name)) await secretStore.set(secretNameOf(name), String(value));
  const file = readJsonFile(paths.settingsFile);
  for (const [name, value] of values) if (!isSecretSetting(name)) file[name.toLowerCase()] = value;
  writeJsonFile(paths.settingsFile, file);
  log.info({ settings: values.map(([name]) => name) }, 'backups have settings of their own now; they were written out');
  return {
    ...config,
    settings: { ...settings, ...Object.fromEntries(values) },
    origins: { ...origins, ...Object.fromEntries(values.map(([name]) => [name, 'file' as const])) },
  };
}

/** To a store by the settings of the library: the name of such a place has no address in it. */
const wasBackedUp = (db: MainDb): boolean =>
  db.$client
    .prepare<[string], string | null>("SELECT result FROM jobs WHERE task = ? AND status = 'succeeded'")
    .pluck()
    .all(BACKUP_TASK.name)
    .some((result) => /"target":"the bucket [^ "]+"/.test(result ?? ''));
