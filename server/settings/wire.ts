// Zod schemas of the settings API. Names are in lower case. Secrets are not sent, only whether they are set.
import { z } from 'zod';
import { SETTING_GROUPS } from '../setting-kinds.ts';
import { queryBool } from '../http/paging.ts';

export const SettingOut = z
  .object({
    key: z.string(),
    value: z
      .union([z.string(), z.number(), z.boolean()])
      .nullable()
      .meta({ description: 'in the form that PATCH accepts; null if unset or a secret' }),
    is_set: z.boolean(),
    origin: z
      .enum(['default', 'file', 'env'])
      .meta({ description: 'env: from the environment or the command line, read-only' }),
    group: z.enum(SETTING_GROUPS),
    help: z.string(),
    restart_needed: z.boolean().meta({ description: 'a change takes effect at the next start' }),
    restart_pending: z.boolean().meta({ description: 'was changed and takes effect at the next start' }),
    secret: z.boolean(),
    unit: z.enum(['bytes', 'duration', 'folder']).nullable(),
    advanced: z.boolean().meta({ description: 'rarely needed' }),
    is_in_use: z.boolean().meta({ description: 'false if it has no effect with the other settings as they are' }),
    choices: z
      .array(z.string())
      .optional()
      .meta({ description: 'the allowed values, if they are a fixed list; an empty one is none of them' }),
  })
  .meta({ id: 'SettingOut' });
export type SettingOut = z.output<typeof SettingOut>;

export const SettingsQuery = z.object({
  dry_run: queryBool.default(false).meta({ description: 'only validate: reports errors and changes nothing' }),
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
    can_test_storage: z.boolean().meta({ description: 'whether POST /storage/test is supported' }),
    secret_store: z
      .object({
        place: z.enum(['file', 'keychain']),
        why_not: z.string().nullable().meta({ description: 'why it is not the keychain, if that was requested' }),
      })
      .meta({ description: 'where keys and passwords are stored' }),
  })
  .meta({ id: 'SettingsOut' });
export type SettingsOut = z.output<typeof SettingsOut>;
