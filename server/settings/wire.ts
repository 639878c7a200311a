// Settings on the wire: keys in lower case, secrets only as set or not.
import { z } from 'zod';
import { SETTING_GROUPS } from '../config/settings.ts';
import { queryBool } from '../http/paging.ts';

export const SettingOut = z
  .object({
    key: z.string(),
    value: z
      .union([z.string(), z.number(), z.boolean()])
      .nullable()
      .meta({ description: 'as PATCH takes it; null when not set, and for every secret' }),
    is_set: z.boolean(),
    origin: z
      .enum(['default', 'file', 'env'])
      .meta({ description: 'env: from the environment or the command line, read-only here' }),
    group: z.enum(SETTING_GROUPS),
    help: z.string(),
    restart_needed: z.boolean().meta({ description: 'a change takes effect at the next start' }),
    restart_pending: z.boolean().meta({ description: 'was changed, and waits for the next start' }),
    secret: z.boolean(),
    unit: z.enum(['bytes', 'duration', 'folder']).nullable(),
    advanced: z.boolean().meta({ description: 'most people never need it' }),
    is_in_use: z.boolean().meta({ description: 'false where nothing reads it, as other settings are now' }),
    choices: z.array(z.string()).optional().meta({ description: 'what may stand here, when it is one of a few words' }),
  })
  .meta({ id: 'SettingOut' });
export type SettingOut = z.output<typeof SettingOut>;

export const SettingsQuery = z.object({
  dry_run: queryBool
    .default(false)
    .meta({ description: 'only check: every fault is answered as it would be, and nothing changes' }),
});

export const ServerOut = z
  .object({
    version: z.string(),
    node: z.string(),
    platform: z.string(),
  })
  .meta({ id: 'ServerOut' });
export type ServerOut = z.output<typeof ServerOut>;

export const SettingsOut = z
  .object({
    items: z.array(SettingOut),
    can_test_storage: z.boolean().meta({ description: 'a storage in use can be tried with POST /storage/test' }),
    secret_store: z
      .object({
        place: z.enum(['file', 'keychain']),
        why_not: z.string().nullable().meta({ description: 'why it is not the keychain, where that was wished for' }),
      })
      .meta({ description: 'where keys and passwords are kept' }),
  })
  .meta({ id: 'SettingsOut' });
export type SettingsOut = z.output<typeof SettingsOut>;
