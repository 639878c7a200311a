// Merges the layers of the configuration: defaults < settings.json < environment and command line. Pure.
import { join, resolve } from 'node:path';
import { AppError } from '../errors.ts';
import { SETTINGS, SETTING_NAMES, type SettingName, type Settings } from './settings.ts';

export type Origin = 'default' | 'file' | 'env';

export interface Config {
  settings: Settings;
  /** Where each value comes from. Values from the environment or the command line cannot be changed in the settings. */
  origins: Record<SettingName, Origin>;
  paths: {
    data: string;
    database: string;
    settingsFile: string;
    secretsFile: string;
    clock: string;
    storageRoot: string;
    logs: string;
    cache: string;
    tmp: string;
    imports: string;
    downloads: string;
    podcasts: string;
  };
}

interface Layers {
  /** The content of settings.json; keys may be in upper or lower case. */
  file: Record<string, unknown>;
  /** The environment, overridden by command line options. Variables that are no settings are ignored. */
  env: Record<string, string | undefined>;
}

/** Merges the layers. Throws `invalid` with one line that names the setting, the value and what is allowed. */
export function loadConfig({ file, env }: Layers): Config {
  const fileValues = collectByName(file, 'settings.json', true);
  const envValues = collectByName(env, 'the environment', false);
  const settings: Record<string, unknown> = {};
  const origins = {} as Record<SettingName, Origin>;
  for (const name of SETTING_NAMES) {
    const origin: Origin = envValues.has(name) ? 'env' : fileValues.has(name) ? 'file' : 'default';
    origins[name] = origin;
    settings[name] = parseSetting(name, origin === 'env' ? envValues.get(name) : fileValues.get(name));
  }
  return { settings: settings as Settings, origins, paths: toPaths(settings as Settings) };
}

/** Validates a value; undefined becomes the default. */
export function parseSetting<N extends SettingName>(name: N, value: unknown): Settings[N] {
  const { schema, secret } = SETTINGS[name];
  const parsed = schema.safeParse(value ?? undefined);
  if (parsed.success) return parsed.data as Settings[N];
  const reason = parsed.error.issues.map((issue) => issue.message).join('; ');
  const shownValue = secret ? '(hidden)' : JSON.stringify(value);
  throw new AppError('invalid', `Setting ${name} = ${shownValue}: ${reason}.`, {
    fields: [{ field: name.toLowerCase(), message: reason }],
  });
}

export const isSettingName = (name: string): name is SettingName => name in SETTINGS;

/**
 * Collects settings by their upper-case name. With `strict`, which applies to the file but not to the environment,
 * unknown names are refused.
 */
function collectByName(layer: Record<string, unknown>, layerName: string, strict: boolean): Map<SettingName, unknown> {
  const values = new Map<SettingName, unknown>();
  const spellings = new Map<SettingName, string>();
  for (const [key, value] of Object.entries(layer)) {
    const name = key.toUpperCase();
    if (!isSettingName(name)) {
      if (strict)
        throw new AppError('invalid', `Unknown setting ${key} in ${layerName}. Run with --help for the list.`);
      continue;
    }
    if (value === undefined || value === null || value === '') continue; // an empty variable counts as unset
    if (values.has(name) && values.get(name) !== value)
      throw new AppError(
        'invalid',
        `Setting ${name} is in ${layerName} twice: as ${spellings.get(name)} and as ${key}.`,
      );
    values.set(name, value);
    spellings.set(name, key);
  }
  return values;
}

function toPaths(settings: Settings): Config['paths'] {
  const data = resolve(settings.DATA_DIR);
  return {
    data,
    database: join(data, 'tonearm.db'),
    settingsFile: join(data, 'settings.json'),
    secretsFile: join(data, 'secrets.json'),
    clock: join(data, 'clock.json'),
    storageRoot: settings.STORAGE_ROOT ? resolve(settings.STORAGE_ROOT) : join(data, 'library'),
    logs: join(data, 'logs'),
    cache: join(data, 'cache'),
    tmp: join(data, 'tmp'),
    imports: join(data, 'imports'),
    downloads: join(data, 'downloads'),
    podcasts: join(data, 'podcasts'),
  };
}
