// Three layers make the configuration: default < settings.json < environment and command line. Pure: reads nothing by
// itself.
import { join, resolve } from 'node:path';
import { AppError } from '../errors.ts';
import { SETTINGS, SETTING_NAMES, type SettingName, type Settings } from './settings.ts';

export type Origin = 'default' | 'file' | 'env';

export interface Config {
  settings: Settings;
  /**
   * Where each value came from; one from the environment or the command line cannot be changed in the settings window.
   */
  origins: Record<SettingName, Origin>;
  paths: {
    data: string;
    database: string;
    settingsFile: string;
    secretsFile: string;
    storageRoot: string;
    cache: string;
    tmp: string;
    imports: string;
    downloads: string;
  };
}

export interface Layers {
  /** Parsed settings.json; keys in any case. */
  file: Record<string, unknown>;
  /** `process.env` with the command line's options on top. Only names of settings are looked at. */
  env: Record<string, string | undefined>;
}

/** Throws an `invalid` AppError whose one line names the setting, the value and what is allowed. */
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

/** One value checked against its rule; undefined gives the default. */
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

/**
 * Collects settings by their upper-case name. `strict` refuses names that are none; the environment is full of them, a
 * file is not.
 */
function byName(layer: Record<string, unknown>, where: string, strict: boolean): Map<SettingName, unknown> {
  const found = new Map<SettingName, unknown>();
  for (const [key, value] of Object.entries(layer)) {
    const name = key.toUpperCase();
    if (!isSettingName(name)) {
      if (strict)
        throw new AppError('invalid', `Setting ${key} in ${where} is not known. Run with --help for the list.`);
      continue;
    }
    if (value === undefined || value === null || value === '') continue; // an empty variable is an unset one
    if (found.has(name) && found.get(name) !== value)
      throw new AppError('invalid', `Setting ${name} stands twice in ${where}, spelled differently.`);
    found.set(name, value);
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
    storageRoot: settings.STORAGE_ROOT ? resolve(settings.STORAGE_ROOT) : join(data, 'library'),
    cache: join(data, 'cache'),
    tmp: join(data, 'tmp'),
    imports: join(data, 'imports'),
    downloads: join(data, 'downloads'),
  };
}
