// REST API of the settings, for superusers. Secrets are never sent.
import { arch, platform } from 'node:os';
import { z } from 'zod';
import { isSettingName } from '../config/config.ts';
import type { SecretStore } from '../config/secret-store.ts';
import { SETTINGS, SETTING_NAMES, type SettingName, type Settings } from '../config/settings.ts';
import { route, type Route } from '../http/route.ts';
import { BACKENDS, backendsInUse } from '../storage/backends.ts';
import type { SettingsChange, SettingsService, SettingState } from './service.ts';
import { ServerOut, SettingsOut, SettingsQuery, type SettingOut } from './wire.ts';

const Value = z.union([z.string(), z.number(), z.boolean(), z.null()], {
  error: 'must be text, a number, true, false or null',
});

/**
 * Every setting by its lower-case name; null resets a setting to its default. This schema is not in wire.ts, because it
 * is derived from the settings.
 */
const SettingsPatch = z
  .strictObject(
    Object.fromEntries(
      SETTING_NAMES.map((name) => [name.toLowerCase(), Value.optional().meta({ description: SETTINGS[name].help })]),
    ),
  )
  .meta({ id: 'SettingsPatch' });

/** Creates the routes; `version` is that of the application. */
export function settingsRoutes(
  settings: SettingsService,
  { version, secretStore }: { version: string; secretStore: Pick<SecretStore, 'place' | 'keychainFault'> },
): Route[] {
  const allSettings = (): SettingsOut => {
    const states = settings.list();
    const savedSettings = Object.fromEntries(states.map(({ name, value }) => [name, value])) as Settings;
    return {
      items: states.map((state) => toSettingOut(state, savedSettings)),
      can_test_storage: backendsInUse(savedSettings).some(({ canBeTested }) => canBeTested),
      secret_store: { place: secretStore.place, why_not: secretStore.keychainFault ?? null },
    };
  };
  return [
    route(
      {
        method: 'get',
        path: '/settings',
        access: 'superuser',
        summary: 'All settings with the origins of their values',
        reply: SettingsOut,
      },
      () => allSettings(),
    ),

    route(
      {
        method: 'patch',
        path: '/settings',
        access: 'superuser',
        summary: 'Change settings; null resets to the default, 409 for a setting from the environment',
        query: SettingsQuery,
        body: SettingsPatch,
        reply: SettingsOut,
      },
      async ({ query, body }) => {
        await settings.change(toChange(body), { dryRun: query.dry_run });
        return allSettings();
      },
    ),

    route({ method: 'get', path: '/server', access: 'user', summary: 'Version and system', reply: ServerOut }, () => ({
      version,
      node: process.version,
      platform: `${platform()} ${arch()}`,
    })),
  ];
}

const toChange = (body: z.output<typeof SettingsPatch>): SettingsChange =>
  Object.fromEntries(
    Object.entries(body)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key.toUpperCase() as SettingName, value]),
  );

function toSettingOut({ name, value, origin, isPending }: SettingState, savedSettings: Settings): SettingOut {
  const { group, help, unit = null, advanced = false, restart = false, secret } = SETTINGS[name];
  return {
    key: name.toLowerCase(),
    value: secret ? null : toValue(unit, value),
    is_set: value !== undefined,
    origin,
    group,
    help,
    restart_needed: restart,
    restart_pending: isPending,
    secret,
    unit,
    advanced,
    is_in_use: isInUse(name, savedSettings),
    ...choicesOf(name),
  };
}

/** Returns whether the setting has an effect with the other settings as saved. */
function isInUse(name: SettingName, savedSettings: Settings): boolean {
  const { onlyFor } = SETTINGS[name];
  if (onlyFor) return isSettingName(onlyFor.setting) && onlyFor.values.includes(String(savedSettings[onlyFor.setting]));
  const readers = BACKENDS.filter((backend) => backend.settings.includes(name));
  return readers.length === 0 || backendsInUse(savedSettings).some((backend) => readers.includes(backend));
}

function choicesOf(name: SettingName): Pick<SettingOut, 'choices'> {
  if (name === 'STORAGE_BACKEND') return { choices: BACKENDS.map((backend) => backend.name) };
  const { schema } = SETTINGS[name];
  const rule = schema instanceof z.ZodDefault || schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (!(rule instanceof z.ZodEnum)) return {};
  return { choices: [...(schema instanceof z.ZodOptional ? [''] : []), ...rule.options.map(String)] };
}

/** Converts a value to the form that PATCH accepts. */
function toValue(unit: SettingOut['unit'], value: SettingState['value']): SettingOut['value'] {
  if (value === undefined) return null;
  if (unit === 'duration' && typeof value === 'number') return toDuration(value);
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Formats a duration: 604800 → `7d`. */
function toDuration(seconds: number): string {
  const [unit, length] =
    (
      [
        ['d', 86_400],
        ['h', 3_600],
        ['m', 60],
      ] as const
    ).find(([, length]) => seconds % length === 0) ?? (['s', 1] as const);
  return `${seconds / length}${unit}`;
}
