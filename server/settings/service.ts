// Settings of the running server: current values, values for the next start, and change listeners. They are stored in
// settings.json, secrets in the secret store; values from the environment have precedence and cannot be changed here.
import type { Config, Origin } from '../config/config.ts';
import { parseSetting } from '../config/config.ts';
import { readJsonFile, writeJsonFile } from '../config/json-file.ts';
import type { WatchedSettings } from '../config/live-settings.ts';
import type { SecretStore } from '../config/secret-store.ts';
import { isSecretSetting, secretNameOf } from '../config/secrets.ts';
import { SETTINGS, SETTING_NAMES, type SettingName, type Settings } from '../config/settings.ts';
import { AppError, invalid, isDiskFull, type FieldError } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { checkSettingCombination } from './checks.ts';

/** The value that the client sent; null resets a setting to its default. */
type SettingValue = string | number | boolean | null;
export type SettingsChange = Partial<Record<SettingName, SettingValue>>;
type Listener = Parameters<WatchedSettings['onChange']>[1];

export interface SettingState<N extends SettingName = SettingName> {
  name: N;
  /** The value at the next start; the same as the current value unless `isPending`. */
  value: Settings[N];
  origin: Origin;
  isPending: boolean;
}

export interface SettingsService extends WatchedSettings {
  list(): SettingState[];
  /** Makes all changes or none. Throws `invalid` with all errors, or `conflict` for read-only settings. */
  change(change: SettingsChange, options?: { dryRun?: boolean }): Promise<void>;
  /**
   * Registers another check of a new value, by the module that knows about it; the check returns what is wrong with the
   * value.
   */
  checkAlso<N extends SettingName>(name: N, fault: Check<N>): void;
}
type Check<N extends SettingName> = (value: NonNullable<Settings[N]>) => Promise<string | undefined>;

export interface SettingsDeps {
  /** The configuration at the start, including the stored secrets. */
  config: Config;
  secretStore: SecretStore;
  log: Log;
}

export function createSettingsService({ config, secretStore, log }: SettingsDeps): SettingsService {
  const running: Settings = { ...config.settings };
  const savedSettings: Settings = { ...config.settings };
  const origins = { ...config.origins };
  const listeners = new Set<{ names: readonly SettingName[]; listener: Listener }>();
  const checks: ((names: readonly SettingName[], next: Settings) => Promise<FieldError[]>)[] = [];
  let pendingWrite: Promise<void> = Promise.resolve();

  const notifyListeners = (changedNames: SettingName[]): void => {
    for (const { names, listener } of listeners) {
      const watchedNames = changedNames.filter((name) => names.includes(name));
      if (watchedNames.length > 0) void tryListener(listener, watchedNames, log);
    }
  };

  return {
    get: (name) => running[name],

    list: () =>
      SETTING_NAMES.map((name) => ({
        name,
        value: savedSettings[name],
        origin: origins[name],
        isPending: differs(savedSettings[name], running[name]),
      })),

    async change(change, { dryRun = false } = {}) {
      const names = Object.keys(change) as SettingName[];
      if (names.length === 0) return;
      assertChangeable(names, origins);
      const parsedSettings = parseAll(change, names);
      const next = { ...savedSettings, ...parsedSettings };
      const faults = await checkSettingCombination(next, names, {
        data: config.paths.data,
        storageRoot: config.paths.storageRoot,
      });
      if (faults.length === 0) for (const check of checks) faults.push(...(await check(names, next)));
      if (faults.length > 0) throw invalid(faults);
      if (dryRun) return;

      // saved sequentially, so that concurrent changes do not mix
      const whenWritten = pendingWrite.then(() => save(config.paths.settingsFile, secretStore, change));
      pendingWrite = whenWritten.catch(() => undefined);
      await whenWritten;
      const live = names.filter((name) => !SETTINGS[name].restart && differs(running[name], parsedSettings[name]));
      for (const name of names) {
        Object.assign(savedSettings, { [name]: parsedSettings[name] });
        origins[name] = isUnset(change[name]) ? 'default' : 'file';
      }
      for (const name of live) Object.assign(running, { [name]: parsedSettings[name] });
      notifyListeners(live);
    },

    checkAlso(name, fault) {
      checks.push(async (names, { [name]: value }) => {
        const message = names.includes(name) && value != null ? await fault(value) : undefined;
        return message === undefined ? [] : [{ field: name.toLowerCase(), message }];
      });
    },

    onChange(names, listener) {
      const entry = { names, listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
  };
}

function assertChangeable(names: SettingName[], origins: Record<SettingName, Origin>): void {
  for (const name of names) {
    const field = name.toLowerCase();
    // settings.json is in the data folder, so it cannot define that folder
    if (name === 'DATA_DIR') throw readOnly(field, 'can only be set at startup, with --data-dir or DATA_DIR');
    if (origins[name] === 'env')
      throw readOnly(field, 'is set in the environment or on the command line and can only be changed there');
  }
}

const readOnly = (field: string, message: string): AppError =>
  new AppError('conflict', `${field}: ${message}.`, { fields: [{ field, message }] });

function parseAll(change: SettingsChange, names: SettingName[]): Partial<Settings> {
  const parsedSettings: Partial<Settings> = {};
  const faults: FieldError[] = [];
  for (const name of names) {
    try {
      Object.assign(parsedSettings, { [name]: parseSetting(name, change[name]) });
    } catch (error) {
      if (!(error instanceof AppError) || !error.fields) throw error;
      faults.push(...error.fields);
    }
  }
  if (faults.length > 0) throw invalid(faults);
  return parsedSettings;
}

/**
 * Saves changed settings, and removes secrets from settings.json. Errors name the path of the file, so their details
 * only go to the log.
 */
async function save(file: string, secretStore: SecretStore, change: SettingsChange): Promise<void> {
  const entries = Object.entries(change) as [SettingName, SettingValue][];
  try {
    const oldValues = readJsonFile(file);
    const newValues = merge(oldValues, change);
    for (const [name, value] of entries.filter(([name]) => isSecretSetting(name))) {
      if (isUnset(value)) await secretStore.delete(secretNameOf(name));
      else await secretStore.set(secretNameOf(name), String(value));
    }
    if (differs(oldValues, newValues)) writeJsonFile(file, newValues);
  } catch (cause) {
    if (isDiskFull(cause)) throw cause;
    const location = entries.every(([name]) => isSecretSetting(name)) ? 'The secret store' : 'settings.json';
    throw new AppError(
      'unavailable',
      `${location} could not be read or written, so nothing was changed. See the log for details.`,
      { cause },
    );
  }
}

/** Merges changes into the file's content; everything else stays as it was written by hand. */
function merge(file: Record<string, unknown>, change: SettingsChange): Record<string, unknown> {
  const otherEntries = Object.entries(file).filter(([key]) => !(key.toUpperCase() in change));
  const changedEntries = (Object.entries(change) as [SettingName, SettingValue][])
    .filter(([name, value]) => !isUnset(value) && !isSecretSetting(name))
    .map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries([...otherEntries, ...changedEntries]);
}

/** Returns whether a setting is unset. Empty text counts as unset, as in loadConfig. */
const isUnset = (value: SettingValue | undefined): boolean => value === null || value === undefined || value === '';

const differs = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);

/** Calls a listener and logs its errors: a failing listener must not affect the others. */
async function tryListener(listener: Listener, changedNames: SettingName[], log: Log): Promise<void> {
  try {
    await listener(changedNames);
  } catch (error) {
    log.warn({ err: error, settings: changedNames }, 'a changed setting could not be applied');
  }
}
