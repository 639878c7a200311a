// Zod schemas of the maintenance API, and the results of its jobs.
import { z } from 'zod';
import { SETTINGS, type SettingName } from '../config/settings.ts';
import { ProblemCode } from '../http/health.ts';
import { BACKENDS } from '../storage/backends.ts';

export const VerifyIn = z.strictObject({}).meta({ id: 'VerifyIn' });
export const GarbageIn = z
  .strictObject({
    dry_run: z.boolean().default(true).meta({ description: 'only report what would be deleted' }),
    earlier_library: z.boolean().default(false).meta({
      description: 'also objects of an earlier library: after a start with --new-library, or a rebuilt database',
    }),
  })
  .meta({ id: 'GarbageIn' });

const EnteredValue = z.union([z.string().trim().max(4_096), z.number(), z.boolean(), z.null()]).optional();

export const StoreTestIn = z
  .strictObject(
    Object.fromEntries(
      BACKENDS.filter(({ canBeTested }) => canBeTested).flatMap(({ settings }) =>
        settings.map((name) => [
          name.toLowerCase(),
          EnteredValue.meta({ description: SETTINGS[name as SettingName].help }),
        ]),
      ),
    ),
  )
  .meta({
    id: 'StoreTestIn',
    description: 'settings that were not saved yet; absent ones are as saved',
  });
export const StoreTestOut = z
  .object({
    problem: z.string().nullable().meta({ description: 'what does not work; null if everything works' }),
  })
  .meta({ id: 'StoreTestOut' });

export const StatusOut = z
  .object({
    problems: z.array(
      z.object({
        code: ProblemCode,
        tracks: z.int().nullable().meta({ description: 'how many tracks cannot be played because of it' }),
      }),
    ),
  })
  .meta({ id: 'StatusOut' });
export type StatusOut = z.output<typeof StatusOut>;

/** Result of `collect_garbage`. */
export interface GarbageResult {
  dry_run: boolean;
  objects: number;
  /** The number of objects that are unused, and old enough to delete. */
  unused: number;
  unused_bytes: number;
  /** The number of objects that are unused but recent: their rows may follow. */
  young: number;
  /**
   * The number of objects that this library does not use, but that are kept because an earlier library may need them.
   */
  earlier: number;
  earlier_bytes: number;
  deleted: number;
  deleted_bytes: number;
  /** The number of abandoned uploads of killed processes. */
  uploads: number;
  /** Keys of the first unused objects. */
  keys: string[];
}
