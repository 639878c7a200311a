// Upkeep of the storage on the wire: what is asked for, and the results of its jobs.
import { z } from 'zod';

export const VerifyIn = z.strictObject({}).meta({ id: 'VerifyIn' });
export const GarbageIn = z.strictObject({ dry_run: z.boolean().default(true).meta({ description: 'only tell what would be deleted' }) }).meta({ id: 'GarbageIn' });

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
