// Settings while the server runs: what is in force, what is saved for the next start, and who wants to know of a change.
// Written to settings.json; a value from the environment stays above it and cannot be changed here.
import type { Config, Origin } from '../config/config.ts';
import { parseSetting } from '../config/config.ts';
import { readJsonFile, writeJsonFile } from '../config/json-file.ts';
import type { LiveSettings } from '../config/live-settings.ts';
import { SETTINGS, SETTING_NAMES, type SettingName, type Settings } from '../config/settings.ts';
import { AppError, invalid, isDiskFull, type FieldError } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { checkTogether } from './checks.ts';

/** As it came off the wire; null takes a setting back to its default. */
export type SettingValue = string | number | boolean | null;
export type SettingsChange = Partial<Record<SettingName, SettingValue>>;
type Listener = (changed: SettingName[]) => void | Promise<void>;

export interface SettingState<N extends SettingName = SettingName> {
  name: N;
  /** What the next start will find; the same as what is in force unless `isPending`. */
  value: Settings[N];
  origin: Origin;
  isPending: boolean;
}

export interface SettingsService extends LiveSettings {
  list(): SettingState[];
  /** 422 with all faults at once, or 409 for what cannot be changed here; nothing changes then. With `dryRun` nothing ever does. */
  change(change: SettingsChange, options?: { dryRun?: boolean }): Promise<void>;
  /** Called after a change of any of these took effect. Returns the way to stop listening. */
  onChange(names: readonly SettingName[], listener: Listener): () => void;
}

export function createSettingsService({ config, log }: { config: Config; log: Log }): SettingsService {
  const running: Settings = { ...config.settings };
  const saved: Settings = { ...config.settings };
  const origins = { ...config.origins };
  const listeners = new Set<{ names: readonly SettingName[]; listener: Listener }>();

  const tell = (changed: SettingName[]): void => {
    for (const { names, listener } of listeners) {
      const theirs = changed.filter((name) => names.includes(name));
      if (theirs.length > 0) void tryListener(listener, theirs, log);
    }
  };

  return {
    get: (name) => running[name],

    list: () => SETTING_NAMES.map((name) => ({ name, value: saved[name], origin: origins[name], isPending: differs(saved[name], running[name]) })),

    async change(change, { dryRun = false } = {}) {
      const names = Object.keys(change) as SettingName[];
      if (names.length === 0) return;
      assertChangeable(names, origins);
      const next = { ...saved, ...parseAll(change, names) };
      const faults = await checkTogether(next, names, { data: config.paths.data, storageRoot: config.paths.storageRoot });
      if (faults.length > 0) throw invalid(faults);
      if (dryRun) return;

      // From here on nothing waits, so two changes at once cannot mix.
      save(config.paths.settingsFile, change);
      const live = names.filter((name) => !SETTINGS[name].restart && differs(running[name], next[name]));
      for (const name of names) {
        Object.assign(saved, { [name]: next[name] });
        origins[name] = isUnset(change[name]) ? 'default' : 'file';
      }
      for (const name of live) Object.assign(running, { [name]: next[name] });
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
    if (origins[name] === 'env') throw readOnly(field, 'comes from the environment or the command line and can only be changed there');
  }
}

const readOnly = (field: string, message: string): AppError => new AppError('conflict', `${field}: ${message}.`, { fields: [{ field, message }] });

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

/** The reasons name the file's whole path, which is for the log and not for the wire. */
function save(file: string, change: SettingsChange): void {
  try {
    writeJsonFile(file, merge(readJsonFile(file), change));
  } catch (cause) {
    if (isDiskFull(cause)) throw cause;
    throw new AppError('unavailable', 'settings.json could not be read or written, so nothing was changed. The log says why.', { cause });
  }
}

/** What people wrote into the file by hand stays as they wrote it, but for the names that change. */
function merge(file: Record<string, unknown>, change: SettingsChange): Record<string, unknown> {
  const kept = Object.entries(file).filter(([key]) => !(key.toUpperCase() in change));
  const set = Object.entries(change).filter(([, value]) => !isUnset(value)).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries([...kept, ...set]);
}

/** loadConfig takes an empty text for an unset value, and so do we. */
const isUnset = (value: SettingValue | undefined): boolean => value === null || value === undefined || value === '';

const differs = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);

/** A room that cannot follow a change must not undo it for the others. */
async function tryListener(listener: Listener, changed: SettingName[], log: Log): Promise<void> {
  try {
    await listener(changed);
  } catch (error) {
    log.warn({ err: error, settings: changed }, 'a changed setting could not be applied');
  }
}
