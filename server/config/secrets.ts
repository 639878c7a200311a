// What the server reads from the secret store at startup: its own keys, which are generated once, and secret settings.
import { randomBytes, scryptSync } from 'node:crypto';
import { isSettingName, parseSetting, type Config } from './config.ts';
import type { Log } from '../log/log.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';
import type { SecretName, SecretStore } from './secret-store.ts';
import { SETTINGS, SETTING_NAMES, type SettingName, type Settings } from './settings.ts';

export interface Secrets {
  jwtSecret: string;
  compatSecretKey: string;
}

/** Shorter secrets can be guessed: one from the environment is made expensive to guess, a new one is refused. */
export const SHORT_SECRET = 16;

/** A key from the settings has precedence; otherwise one is generated once and stored. */
export async function loadSecrets(
  settings: Pick<Settings, 'JWT_SECRET' | 'COMPAT_SECRET_KEY'>,
  store: SecretStore,
  log: Log,
): Promise<Secrets> {
  const load = async (name: 'JWT_SECRET' | 'COMPAT_SECRET_KEY'): Promise<string> => {
    const given = settings[name];
    if (given === undefined) return getOrMake(store, name);
    if (given.length >= SHORT_SECRET) return given;
    log.warn(
      { setting: name },
      `${name} has fewer than ${SHORT_SECRET} characters and is easy to guess. Set a longer one.`,
    );
    return stretched(given, name);
  };
  return { jwtSecret: await load('JWT_SECRET'), compatSecretKey: await load('COMPAT_SECRET_KEY') };
}

/** The salt is the name, since the same secret has to give the same key on another machine. */
const stretched = (secret: string, name: string): string =>
  scryptSync(secret, `tonearm ${name} v1`, 32).toString('base64url');

async function getOrMake(store: SecretStore, name: SecretName): Promise<string> {
  const kept = await store.get(name);
  if (kept !== undefined) return kept;
  const made = randomBytes(32).toString('base64url');
  await store.set(name, made);
  return made;
}

export const isSecretSetting = (name: string): boolean => isSettingName(name) && SETTINGS[name].secret;
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

/** Adds the stored secret settings to the configuration. One that is still written in settings.json is newer. */
export async function withStoredSettings(config: Config, store: SecretStore): Promise<Config> {
  const settings = { ...config.settings };
  const origins = { ...config.origins };
  for (const [name, value] of Object.entries(await storedSettings(store)) as [SettingName, string][]) {
    if (origins[name] !== 'default') continue;
    Object.assign(settings, { [name]: parseSetting(name, value) });
    origins[name] = 'file';
  }
  return { ...config, settings, origins };
}

/**
 * Moves secrets that somebody wrote into settings.json to the secret store. Where that is not possible, on a full disk
 * or with a settings.json that is mounted, they stay in effect, and the next start tries again.
 */
export async function moveWrittenSecrets({ paths }: Config, store: SecretStore, log: Log): Promise<void> {
  const file = readJsonFile(paths.settingsFile);
  const written = Object.entries(file).filter(([key]) => isSecretSetting(key.toUpperCase()));
  if (written.length === 0) return;
  const settings = written.map(([key]) => key.toUpperCase());
  try {
    for (const [key, value] of written)
      if (typeof value === 'string' && value !== '')
        await store.set(secretNameOf(key.toUpperCase() as SettingName), value);
    const others = Object.entries(file).filter(([key]) => !isSecretSetting(key.toUpperCase()));
    writeJsonFile(paths.settingsFile, Object.fromEntries(others));
    log.info({ settings, to: store.place }, 'secrets were moved out of settings.json');
  } catch (error) {
    log.warn({ err: error, settings }, 'secrets stay in settings.json: they could not be moved');
  }
}
