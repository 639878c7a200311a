// Decides about the settings of a backup, which anybody may have edited. The kind of a setting (setting-kinds.ts) says
// whether a restore takes it, takes it only after a confirmation, or never takes it.
import { isSettingName, parseSetting } from '../config/config.ts';
import { secretNameOf } from '../config/secrets.ts';
import { SETTINGS, type SettingName } from '../config/settings.ts';
import { AppError } from '../errors.ts';
import type { SettingKind } from '../setting-kinds.ts';
import type { Keys } from './manifest.ts';

const MAX_VALUE_CHARS = 4_096;

type StoredSettings = Readonly<Record<string, unknown>>;

/**
 * A setting whose value differs between the backup (`value`) and this server (`here`). Null means not set. Secrets are
 * hidden.
 */
export interface SettingChange {
  name: string;
  kind: SettingKind;
  value: string | null;
  here: string | null;
}

const NEVER_TAKEN_KINDS: ReadonlySet<SettingKind> = new Set<SettingKind>(['place']);
const ALWAYS_TAKEN_KINDS: ReadonlySet<SettingKind> = new Set<SettingKind>(['plain']);
const kindOf = (name: SettingName): SettingKind => SETTINGS[name].kind;
const needsConfirmation = (name: SettingName): boolean =>
  !NEVER_TAKEN_KINDS.has(kindOf(name)) && !ALWAYS_TAKEN_KINDS.has(kindOf(name));

/** Lists the settings that are only taken after a confirmation. */
export function listSettingsToConfirm(backup: StoredSettings, local: StoredSettings): SettingChange[] {
  const [backupSettings, localSettings] = [parseSettings(backup), parseSettings(local)];
  return [...new Set([...backupSettings.keys(), ...localSettings.keys()])]
    .filter(
      (name) =>
        needsConfirmation(name) && JSON.stringify(backupSettings.get(name)) !== JSON.stringify(localSettings.get(name)),
    )
    .map((name) => ({
      name,
      kind: kindOf(name),
      value: shownValue(name, backupSettings.get(name)),
      here: shownValue(name, localSettings.get(name)),
    }));
}

/** Returns the content of settings.json after a restore. */
export function mergeSettings(
  backup: StoredSettings,
  local: StoredSettings,
  isAccepted: boolean,
): Record<string, unknown> {
  const [backupSettings, localSettings] = [parseSettings(backup), parseSettings(local)];
  const takenSettings = [...backupSettings].filter(
    ([name]) => ALWAYS_TAKEN_KINDS.has(kindOf(name)) || (isAccepted && needsConfirmation(name)),
  );
  const localEntries = [...localSettings].filter(([name]) => !isAccepted && needsConfirmation(name));
  return Object.fromEntries([...takenSettings, ...localEntries].map(([name, value]) => [name.toLowerCase(), value]));
}

/** Returns the content of settings.json after an import has replaced the library. */
export const remainingSettings = (localSettings: StoredSettings): Record<string, unknown> =>
  Object.fromEntries(
    [...parseSettings(localSettings)]
      .filter(([name]) => !NEVER_TAKEN_KINDS.has(kindOf(name)))
      .map(([name, value]) => [name.toLowerCase(), value]),
  );

/** Returns the content of secrets.json for a backup with keys. */
export const secretsOf = (keys: Keys): Record<string, string> => ({
  ...Object.fromEntries(
    [...parseSettings(keys.settings)]
      .filter(([name]) => kindOf(name) === 'secret')
      .map(([name, value]) => [secretNameOf(name), String(value)]),
  ),
  JWT_SECRET: keys.jwt_secret,
  COMPAT_SECRET_KEY: keys.compat_secret_key,
});

/** Returns the settings of a backup that this version can read. */
export const readableSettings = (storedSettings: StoredSettings): Record<string, unknown> =>
  Object.fromEntries([...parseSettings(storedSettings)].map(([name, value]) => [name.toLowerCase(), value]));

/** Returns the settings with known names and allowed values; with any other value the server would not start. */
function parseSettings(storedSettings: StoredSettings): Map<SettingName, unknown> {
  const values = new Map<SettingName, unknown>();
  for (const [key, value] of Object.entries(storedSettings)) {
    const name = key.toUpperCase();
    if (isSettingName(name) && value !== null && value !== '' && isAllowed(name, value)) values.set(name, value);
  }
  return values;
}

function isAllowed(name: SettingName, value: unknown): boolean {
  try {
    parseSetting(name, value);
    return String(value).length <= MAX_VALUE_CHARS; // a longer value could not be shown in full before the confirmation
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

const shownValue = (name: SettingName, value: unknown): string | null =>
  value === undefined
    ? null
    : SETTINGS[name].secret
      ? '(hidden)'
      : typeof value === 'string'
        ? value
        : JSON.stringify(value);
