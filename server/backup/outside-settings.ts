// The settings of a backup, which anybody may have edited. What each decides (setting-kinds.ts) says whether it comes
// back by itself, only after a yes, or never.
import { isSettingName, parseSetting } from '../config/config.ts';
import { secretNameOf } from '../config/secrets.ts';
import { SETTINGS, type SettingName } from '../config/settings.ts';
import { AppError } from '../errors.ts';
import type { SettingKind } from '../setting-kinds.ts';
import type { Keys } from './manifest.ts';

const MAX_VALUE_CHARS = 4_096;

type Written = Readonly<Record<string, unknown>>;

/** A setting of the backup that has another value here. Null: it is not set. Values of secrets are not told. */
export interface SettingChange {
  name: string;
  kind: SettingKind;
  value: string | null;
  here: string | null;
}

const IN_THE_WAY: ReadonlySet<SettingKind> = new Set<SettingKind>(['place']);
const BY_ITSELF: ReadonlySet<SettingKind> = new Set<SettingKind>(['plain']);
const kindOf = (name: SettingName): SettingKind => SETTINGS[name].kind;
const isAsked = (name: SettingName): boolean => !IN_THE_WAY.has(kindOf(name)) && !BY_ITSELF.has(kindOf(name));

/** What is only taken after a yes. */
export function askedSettings(backup: Written, here: Written): SettingChange[] {
  const [theirs, ours] = [known(backup), known(here)];
  return [...new Set([...theirs.keys(), ...ours.keys()])]
    .filter((name) => isAsked(name) && JSON.stringify(theirs.get(name)) !== JSON.stringify(ours.get(name)))
    .map((name) => ({
      name,
      kind: kindOf(name),
      value: shownValue(name, theirs.get(name)),
      here: shownValue(name, ours.get(name)),
    }));
}

/** settings.json after a restore. */
export function settingsAfter(backup: Written, here: Written, isAccepted: boolean): Record<string, unknown> {
  const [theirs, ours] = [known(backup), known(here)];
  const taken = [...theirs].filter(([name]) => BY_ITSELF.has(kindOf(name)) || (isAccepted && isAsked(name)));
  const kept = [...ours].filter(([name]) => !isAccepted && isAsked(name));
  return Object.fromEntries([...taken, ...kept].map(([name, value]) => [name.toLowerCase(), value]));
}

/** settings.json of a library that an export replaces. */
export const settingsThatStay = (here: Written): Record<string, unknown> =>
  Object.fromEntries(
    [...known(here)]
      .filter(([name]) => !IN_THE_WAY.has(kindOf(name)))
      .map(([name, value]) => [name.toLowerCase(), value]),
  );

/** secrets.json of a backup that has the keys. */
export const secretsOf = (keys: Keys): Record<string, string> => ({
  ...Object.fromEntries(
    [...known(keys.settings)]
      .filter(([name]) => kindOf(name) === 'secret')
      .map(([name, value]) => [secretNameOf(name), String(value)]),
  ),
  JWT_SECRET: keys.jwt_secret,
  COMPAT_SECRET_KEY: keys.compat_secret_key,
});

/** What of the settings of a backup can be read at all. */
export const readableSettings = (written: Written): Record<string, unknown> =>
  Object.fromEntries([...known(written)].map(([name, value]) => [name.toLowerCase(), value]));

/** Those of names that are known with values that are allowed: with any other the server would not start. */
function known(written: Written): Map<SettingName, unknown> {
  const found = new Map<SettingName, unknown>();
  for (const [key, value] of Object.entries(written)) {
    const name = key.toUpperCase();
    if (isSettingName(name) && value !== null && value !== '' && isAllowed(name, value)) found.set(name, value);
  }
  return found;
}

function isAllowed(name: SettingName, value: unknown): boolean {
  try {
    parseSetting(name, value);
    return String(value).length <= MAX_VALUE_CHARS; // so that all of it can be shown
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
