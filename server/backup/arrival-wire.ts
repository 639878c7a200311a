// What a restore or an import changes here, in the API.
import { z } from 'zod';
import { SETTING_KINDS } from '../setting-kinds.ts';

/** `new`: is not here · `other`: here with other rights, limits, password or app passwords · `gone`: is only here. */
export const PersonChange = z.object({
  username: z.string(),
  change: z.enum(['new', 'same', 'other', 'gone']),
  is_superuser: z.boolean().meta({ description: 'in the backup; nobody is one by an import' }),
  differences: z.array(z.string()).meta({ description: 'columns of the account that differ' }),
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
