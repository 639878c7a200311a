// Upkeep of the storage on the wire: what is asked for, and the results of its jobs.
import { z } from 'zod';
import { SETTINGS } from '../config/settings.ts';
import { BACKENDS } from '../storage/backends.ts';

export const VerifyIn = z.strictObject({}).meta({ id: 'VerifyIn' });
export const GarbageIn = z
  .strictObject({ dry_run: z.boolean().default(true).meta({ description: 'only tell what would be deleted' }) })
  .meta({ id: 'GarbageIn' });

const Typed = z.union([z.string().trim().max(4_096), z.number(), z.boolean(), z.null()]).optional();

export const StoreTestIn = z
  .strictObject(
    Object.fromEntries(
      BACKENDS.filter(({ canBeTested }) => canBeTested).flatMap(({ settings }) =>
        settings.map((name) => [name.toLowerCase(), Typed.meta({ description: SETTINGS[name].help })]),
      ),
    ),
  )
  .meta({
    id: 'StoreTestIn',
    description: 'what was typed in and not saved yet; anything absent counts as it is saved',
  });
export const StoreTestOut = z
  .object({
    problem: z.string().nullable().meta({ description: 'what does not work, in words; null when everything does' }),
  })
  .meta({ id: 'StoreTestOut' });

/** Result of a `collect_garbage` job. */
export interface GarbageResult {
  dry_run: boolean;
  objects: number;
  /** Old enough to go. */
  unused: number;
  unused_bytes: number;
  /** Unused too, but young: their rows may be on the way. */
  young: number;
  deleted: number;
  deleted_bytes: number;
  /** Half-written ones of killed processes that were given up. */
  uploads: number;
  /** The first of the unused. */
  keys: string[];
}
