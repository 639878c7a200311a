// The changes that a restore or an import makes on this server, in the API.
import { z } from 'zod';
import { SETTING_KINDS } from '../setting-kinds.ts';
import { DIFFERENCE_NAMES } from './account-columns.ts';

export const AccountDifference = z.object({
  what: z.enum(DIFFERENCE_NAMES).meta({ description: 'a column of the account, or a table that belongs to it' }),
  name: z.string().nullable().meta({ description: 'of an app password, a service or a station' }),
  value: z.string().nullable().meta({ description: 'in the backup; null: there is none. Secrets are (hidden)' }),
  here: z.string().nullable(),
});
export type AccountDifference = z.output<typeof AccountDifference>;

/**
 * `new`: not on this server (any more) · `other`: differs from the account on this server · `gone`: only on this
 * server.
 */
export const PersonChange = z.object({
  username: z.string(),
  change: z.enum(['new', 'same', 'other', 'gone']),
  is_superuser: z.boolean().meta({ description: 'in the backup; nobody is one by an import' }),
  differences: z.array(AccountDifference),
});
export type PersonChange = z.output<typeof PersonChange>;

export const Arrival = z
  .object({
    people: z.array(PersonChange),
    settings: z.array(
      z.object({
        name: z.string(),
        kind: z.enum(SETTING_KINDS),
        value: z.string().nullable(),
        here: z.string().nullable(),
      }),
    ),
    folders: z.array(z.object({ name: z.string(), path: z.string() })),
    has_accounts: z.boolean().meta({ description: 'there are accounts here; without any, those of a backup come' }),
  })
  .meta({ id: 'Arrival' });
export type Arrival = z.output<typeof Arrival>;
