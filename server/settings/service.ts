// Settings while the server runs: what is in force, what is saved for the next start, and who wants to know of a
// change. Written to settings.json, secret ones to the secret store; a value from the environment stays above both and
// cannot be changed here.
import type { Config, Origin } from '../config/config.ts';
import { parseSetting } from '../config/config.ts';
import { readJsonFile, writeJsonFile } from '../config/json-file.ts';
import type { WatchedSettings } from '../config/live-settings.ts';
import type { SecretStore } from '../config/secret-store.ts';
import { isSecretSetting, secretNameOf } from '../config/secrets.ts';
import { SETTINGS, SETTING_NAMES, type SettingName, type Settings } from '../config/settings.ts';
import { AppError, invalid, isDiskFull, type FieldError } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { checkTogether } from './checks.ts';

/** As it came off the wire; null takes a setting back to its default. */
export type SettingValue = string | number | boolean | null;
export type SettingsChange = Partial<Record<SettingName, SettingValue>>;
type Listener = Parameters<WatchedSettings['onChange']>[1];

export interface SettingState<N extends SettingName = SettingName> {
  name: N;
  /** What the next start will find; the same as what is in force unless `isPending`. */
  value: Settings[N];
  origin: Origin;
  isPending: boolean;
}

export interface SettingsService extends WatchedSettings {
  list(): SettingState[];
  /**
   * 422 with all faults at once, or 409 for what cannot be changed here; nothing changes then. With `dryRun` nothing
   * ever does.
   */
  change(change: SettingsChange, options?: { dryRun?: boolean }): Promise<void>;
}

export interface SettingsDeps {
  /** With the stored secrets in it. */
  config: Config;
  secretStore: SecretStore;
  log: Log;
}

export function createSettingsService({ config, secretStore, log }: SettingsDeps): SettingsService {
  const running: Settings = { ...config.settings };
  const saved: Settings = { ...config.settings };
  const origins = { ...config.origins };
  const listeners = new Set<{ names: readonly SettingName[]; listener: Listener }>();
  let writing: Promise<void> = Promise.resolve();

  const tell = (changed: SettingName[]): void => {
    for (const { names, listener } of listeners) {
      const theirs = changed.filter((name) => names.includes(name));
      if (theirs.length > 0) void tryListener(listener, theirs, log);
    }
  };

  return {
    get: (name) => running[name],

    list: () =>
      SETTING_NAMES.map((name) => ({
        name,
        value: saved[name],
        origin: origins[name],
        isPending: differs(saved[name], running[name]),
      })),

    async change(change, { dryRun = false } = {}) {
      const names = Object.keys(change) as SettingName[];
      if (names.length === 0) return;
      assertChangeable(names, origins);
      const parsed = parseAll(change, names);
      const faults = await checkTogether({ ...saved, ...parsed }, names, {
        data: config.paths.data,
        storageRoot: config.paths.storageRoot,
      });
      if (faults.length > 0) throw invalid(faults);
      if (dryRun) return;

      // One after the other, so that two changes at once cannot mix.
      const written = writing.then(() => save(config.paths.settingsFile, secretStore, change));
      writing = written.catch(() => undefined);
      await written;
      const live = names.filter((name) => !SETTINGS[name].restart && differs(running[name], parsed[name]));
      for (const name of names) {
        Object.assign(saved, { [name]: parsed[name] });
        origins[name] = isUnset(change[name]) ? 'default' : 'file';
      }
      for (const name of live) Object.assign(running, { [name]: parsed[name] });
      tell(live);
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
    // settings.json lies in this folder, so it cannot say where the folder is.
    if (name === 'DATA_DIR') throw readOnly(field, 'is chosen at the start, with --data-dir or DATA_DIR');
    if (origins[name] === 'env')
      throw readOnly(field, 'comes from the environment or the command line and can only be changed there');
  }
}

const readOnly = (field: string, message: string): AppError =>
  new AppError('conflict', `${field}: ${message}.`, { fields: [{ field, message }] });

function parseAll(change: SettingsChange, names: SettingName[]): Partial<Settings> {
  const parsed: Partial<Settings> = {};
  const faults: FieldError[] = [];
  for (const name of names) {
    try {
      Object.assign(parsed, { [name]: parseSetting(name, change[name]) });
    } catch (error) {
      if (!(error instanceof AppError) || !error.fields) throw error;
      faults.push(...error.fields);
    }
  }
  if (faults.length > 0) throw invalid(faults);
  return parsed;
}

/**
 * The reasons name the file's whole path, which is for the log and not for the wire. Of a secret nothing is left in
 * settings.json.
 */
async function save(file: string, secretStore: SecretStore, change: SettingsChange): Promise<void> {
  const entries = Object.entries(change) as [SettingName, SettingValue][];
  try {
    const before = readJsonFile(file);
    const after = merge(before, change);
    for (const [name, value] of entries.filter(([name]) => isSecretSetting(name))) {
      if (isUnset(value)) await secretStore.delete(secretNameOf(name));
      else await secretStore.set(secretNameOf(name), String(value));
    }
    if (differs(before, after)) writeJsonFile(file, after);
  } catch (cause) {
    if (isDiskFull(cause)) throw cause;
    const where = entries.every(([name]) => isSecretSetting(name)) ? 'The place of secrets' : 'settings.json';
    throw new AppError(
      'unavailable',
      `${where} could not be read or written, so nothing was changed. The log says why.`,
      { cause },
    );
  }
}

/** What people wrote into the file by hand stays as they wrote it, but for the names that change. */
function merge(file: Record<string, unknown>, change: SettingsChange): Record<string, unknown> {
  const kept = Object.entries(file).filter(([key]) => !(key.toUpperCase() in change));
  const set = (Object.entries(change) as [SettingName, SettingValue][])
    .filter(([name, value]) => !isUnset(value) && !isSecretSetting(name))
    .map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries([...kept, ...set]);
}

/** loadConfig takes an empty text for an unset value, and so do we. */
const isUnset = (value: SettingValue | undefined): boolean => value === null || value === undefined || value === '';

const differs = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);

/** A module that cannot follow a change must not undo it for the others. */
async function tryListener(listener: Listener, changed: SettingName[], log: Log): Promise<void> {
  try {
    await listener(changed);
  } catch (error) {
    log.warn({ err: error, settings: changed }, 'a changed setting could not be applied');
  }
}
