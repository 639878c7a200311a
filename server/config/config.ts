// Merges the layers of the configuration: defaults < settings.json < environment and command line. Pure.
import { join, resolve } from 'node:path';
import { AppError } from '../errors.ts';
import { SETTINGS, SETTING_NAMES, type SettingName, type Settings } from './settings.ts';

export type Origin = 'default' | 'file' | 'env';

export interface Config {
  settings: Settings;
  /** Where each value comes from. Those from the environment or the command line cannot be changed in the settings. */
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
  /** Parsed settings.json; keys in any case. */
  file: Record<string, unknown>;
  /** `process.env`, overridden by command line options. Only names of settings are read. */
  env: Record<string, string | undefined>;
}

/** Throws `invalid` with one line that names the setting, the value and what is allowed. */
export function loadConfig({ file, env }: Layers): Config {
  const fromFile = byName(file, 'settings.json', true);
  const fromEnv = byName(env, 'the environment', false);
  const settings: Record<string, unknown> = {};
  const origins = {} as Record<SettingName, Origin>;
  for (const name of SETTING_NAMES) {
    const origin: Origin = fromEnv.has(name) ? 'env' : fromFile.has(name) ? 'file' : 'default';
    origins[name] = origin;
    settings[name] = parseSetting(name, origin === 'env' ? fromEnv.get(name) : fromFile.get(name));
  }
  return { settings: settings as Settings, origins, paths: toPaths(settings as Settings) };
}

/** Validates one value; undefined gives the default. */
export function parseSetting<N extends SettingName>(name: N, value: unknown): Settings[N] {
  const { schema, secret } = SETTINGS[name];
  const parsed = schema.safeParse(value ?? undefined);
  if (parsed.success) return parsed.data as Settings[N];
  const why = parsed.error.issues.map((issue) => issue.message).join('; ');
  const shown = secret ? '(hidden)' : JSON.stringify(value);
  throw new AppError('invalid', `Setting ${name} = ${shown}: ${why}.`, {
    fields: [{ field: name.toLowerCase(), message: why }],
  });
}

export const isSettingName = (name: string): name is SettingName => name in SETTINGS;

/** Collects settings by their upper-case name. `strict` refuses unknown names: for the file, not the environment. */
function byName(layer: Record<string, unknown>, where: string, strict: boolean): Map<SettingName, unknown> {
  const found = new Map<SettingName, unknown>();
  const spelled = new Map<SettingName, string>();
  for (const [key, value] of Object.entries(layer)) {
    const name = key.toUpperCase();
    if (!isSettingName(name)) {
      if (strict) throw new AppError('invalid', `Unknown setting ${key} in ${where}. Run with --help for the list.`);
      continue;
    }
    if (value === undefined || value === null || value === '') continue; // an empty variable counts as unset
    if (found.has(name) && found.get(name) !== value)
      throw new AppError('invalid', `Setting ${name} is in ${where} twice: as ${spelled.get(name)} and as ${key}.`);
    found.set(name, value);
    spelled.set(name, key);
  }
  return found;
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
