// Reads the secret store at startup: the server's own keys, which are generated once, and secret settings.
import { randomBytes, scryptSync } from 'node:crypto';
import { isSettingName, parseSetting, type Config } from './config.ts';
import type { Log } from '../log/log.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';
import { MIN_SECRET_CHARS, type SecretName, type SecretStore } from './secret-store.ts';
import { SETTINGS, SETTING_NAMES, type SettingName, type Settings } from './settings.ts';

export interface Secrets {
  jwtSecret: string;
  compatSecretKey: string;
}

/** Loads the server's keys. A key from the settings has precedence; otherwise the key is generated once and stored. */
export async function loadSecrets(
  settings: Pick<Settings, 'JWT_SECRET' | 'COMPAT_SECRET_KEY'>,
  store: SecretStore,
  log: Log,
): Promise<Secrets> {
  const load = async (name: 'JWT_SECRET' | 'COMPAT_SECRET_KEY'): Promise<string> => {
    const secret = settings[name];
    if (secret === undefined) return getOrCreate(store, name);
    if (secret.length >= MIN_SECRET_CHARS) return secret;
    log.warn(
      { setting: name },
      `${name} has fewer than ${MIN_SECRET_CHARS} characters and is easy to guess. Set a longer one.`,
    );
    return stretchSecret(secret, name);
  };
  return { jwtSecret: await load('JWT_SECRET'), compatSecretKey: await load('COMPAT_SECRET_KEY') };
}

/**
 * Derives a key from a short secret. The salt is the name, since the same secret must give the same key on another
 * machine.
 */
const stretchSecret = (secret: string, name: string): string =>
  scryptSync(secret, `tonearm ${name} v1`, 32).toString('base64url');

async function getOrCreate(store: SecretStore, name: SecretName): Promise<string> {
  const storedSecret = await store.get(name);
  if (storedSecret !== undefined) return storedSecret;
  const newSecret = randomBytes(32).toString('base64url');
  await store.set(name, newSecret);
  return newSecret;
}

export const isSecretSetting = (name: string): boolean => isSettingName(name) && SETTINGS[name].secret;
export const secretNameOf = (name: SettingName): SecretName => `setting.${name.toLowerCase()}`;

/** Returns the secret settings in the store, by name. */
export async function readStoredSettings(store: SecretStore): Promise<Partial<Record<SettingName, string>>> {
  const storedNames = new Set<string>(store.names());
  const values: Partial<Record<SettingName, string>> = {};
  for (const name of SETTING_NAMES) {
    const value =
      isSecretSetting(name) && storedNames.has(secretNameOf(name)) ? await store.get(secretNameOf(name)) : undefined;
    if (value !== undefined) values[name] = value;
  }
  return values;
}

/**
 * Adds the stored secret settings to the configuration. A secret that is still in settings.json has precedence, because
 * it is newer.
 */
export async function addStoredSettings(config: Config, store: SecretStore): Promise<Config> {
  const settings = { ...config.settings };
  const origins = { ...config.origins };
  for (const [name, value] of Object.entries(await readStoredSettings(store)) as [SettingName, string][]) {
    if (origins[name] !== 'default') continue;
    Object.assign(settings, { [name]: parseSetting(name, value) });
    origins[name] = 'file';
  }
  return { ...config, settings, origins };
}

/**
 * Moves secrets that a person wrote into settings.json to the secret store. If that is not possible, on a full disk or
 * with a read-only settings.json, the secrets stay in effect, and the next start tries again.
 */
export async function moveWrittenSecrets({ paths }: Config, store: SecretStore, log: Log): Promise<void> {
  const file = readJsonFile(paths.settingsFile);
  const writtenSecrets = Object.entries(file).filter(([key]) => isSecretSetting(key.toUpperCase()));
  if (writtenSecrets.length === 0) return;
  const settings = writtenSecrets.map(([key]) => key.toUpperCase());
  try {
    for (const [key, value] of writtenSecrets)
      if (typeof value === 'string' && value !== '')
        await store.set(secretNameOf(key.toUpperCase() as SettingName), value);
    const otherEntries = Object.entries(file).filter(([key]) => !isSecretSetting(key.toUpperCase()));
    writeJsonFile(paths.settingsFile, Object.fromEntries(otherEntries));
    log.info({ settings, to: store.place }, 'secrets were moved out of settings.json');
  } catch (error) {
    log.warn({ err: error, settings }, 'secrets stay in settings.json: they could not be moved');
  }
}
