// What the server reads from the secret store at startup: its own keys, which are generated once, and secret settings.
import { randomBytes } from 'node:crypto';
import { isSettingName, parseSetting, type Config } from './config.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';
import type { SecretName, SecretStore } from './secret-store.ts';
import { SETTINGS, SETTING_NAMES, type SettingName, type Settings } from './settings.ts';

export interface Secrets {
  jwtSecret: string;
  compatSecretKey: string;
}

/** A key from the settings has precedence; otherwise one is generated once and stored. */
export async function loadSecrets(
  settings: Pick<Settings, 'JWT_SECRET' | 'COMPAT_SECRET_KEY'>,
  store: SecretStore,
): Promise<Secrets> {
  return {
    jwtSecret: settings.JWT_SECRET ?? (await getOrMake(store, 'JWT_SECRET')),
    compatSecretKey: settings.COMPAT_SECRET_KEY ?? (await getOrMake(store, 'COMPAT_SECRET_KEY')),
  };
}

async function getOrMake(store: SecretStore, name: SecretName): Promise<string> {
  const kept = await store.get(name);
  if (kept !== undefined) return kept;
  const made = randomBytes(32).toString('base64url');
  await store.set(name, made);
  return made;
}

export const isSecretSetting = (name: SettingName): boolean => SETTINGS[name].secret === true;
export const secretNameOf = (name: SettingName): SecretName => `setting.${name.toLowerCase()}`;

/** Stored secret settings by name. */
export async function storedSettings(store: SecretStore): Promise<Partial<Record<SettingName, string>>> {
  const known = new Set<string>(store.names());
  const found: Partial<Record<SettingName, string>> = {};
  for (const name of SETTING_NAMES) {
    const value =
      isSecretSetting(name) && known.has(secretNameOf(name)) ? await store.get(secretNameOf(name)) : undefined;
    if (value !== undefined) found[name] = value;
  }
  return found;
}

/** Adds the secret settings to the configuration, in the layer of settings.json and with precedence over it. */
export async function withStoredSettings(config: Config, store: SecretStore): Promise<Config> {
  const settings = { ...config.settings };
  const origins = { ...config.origins };
  for (const [name, value] of Object.entries(await storedSettings(store)) as [SettingName, string][]) {
    if (origins[name] === 'env') continue;
    Object.assign(settings, { [name]: parseSetting(name, value) });
    origins[name] = 'file';
  }
  return { ...config, settings, origins };
}

/** If secrets are stored in the keychain, moves those in settings.json there too. */
export async function adoptWrittenSecrets(config: Config, store: SecretStore): Promise<Config> {
  if (store.place !== 'keychain') return config;
  const { settingsFile } = config.paths;
  const isSecret = (key: string): boolean =>
    isSettingName(key.toUpperCase()) && isSecretSetting(key.toUpperCase() as SettingName);
  const written = Object.entries(readJsonFile(settingsFile)).filter(
    ([key, value]) => isSecret(key) && typeof value === 'string' && value !== '',
  );
  if (written.length === 0) return config;
  const stored = new Set(store.names());
  for (const [key, value] of written) {
    const name = secretNameOf(key.toUpperCase() as SettingName);
    if (!stored.has(name)) await store.set(name, value as string);
  }
  writeJsonFile(
    settingsFile,
    Object.fromEntries(Object.entries(readJsonFile(settingsFile)).filter(([key]) => !isSecret(key))),
  );
  return config;
}
