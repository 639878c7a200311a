// Stores the mixes of each listener's last day in the database.
import { z } from 'zod';
import type { Sqlite } from '../db/client.ts';
import { TrackIdIn, type UserId } from '../db/ids.ts';
import { MIX_KINDS, ReasonOut } from './wire.ts';

const MixItem = z.object({
  id: TrackIdIn,
  likeness: z.number().nullable(),
  rank: z.number().nullable(),
  reasons: z.array(ReasonOut),
});
export type MixItem = z.output<typeof MixItem>;

const Mix = z.object({
  id: z.string(),
  kind: z.enum(MIX_KINDS),
  subject: z.string().nullable(),
  why: z.array(ReasonOut),
  items: z.array(MixItem),
});
export type Mix = z.output<typeof Mix>;

/** Parses stored mixes; undefined when another version wrote them, or when they are damaged. */
const StoredDay = z
  .object({ libraryTracks: z.number(), mixes: z.array(Mix) })
  .optional()
  .catch(undefined);

interface DayOfMixes {
  day: number;
  madeAtMs: number;
  endsAtMs: number;
  /** The number of tracks in the library when the mixes were made. */
  libraryTracks: number;
  mixes: Mix[];
}

export type StoredMixes = ReturnType<typeof createStoredMixes>;

export function createStoredMixes(client: Sqlite) {
  const findDay = client.prepare<[UserId], Omit<DayOfMixes, 'mixes' | 'libraryTracks'> & { mixes: string }>(
    `SELECT day, made_at AS madeAtMs, ends_at AS endsAtMs, iif(json_valid(mixes), mixes, 'null') AS mixes
      FROM daily_mixes WHERE user_id = ?`,
  );
  const store = client.prepare(
    `INSERT INTO daily_mixes (user_id, day, made_at, ends_at, mixes) SELECT id, ?, ?, ?, ? FROM users WHERE id = ?
      ON CONFLICT (user_id) DO UPDATE SET day = excluded.day, made_at = excluded.made_at, ends_at = excluded.ends_at,
        mixes = excluded.mixes`,
  );
  return {
    /** Returns the listener's last day, without `mixes` when the stored ones cannot be read. */
    find(userId: UserId) {
      const row = findDay.get(userId);
      return row && { ...row, libraryTracks: 0, mixes: undefined, ...StoredDay.parse(JSON.parse(row.mixes)) };
    },
    /** Stores the mixes of a day. Does nothing for an account that was deleted. */
    store(userId: UserId, { day, madeAtMs, endsAtMs, ...content }: DayOfMixes): void {
      store.run(day, madeAtMs, endsAtMs, JSON.stringify(content), userId);
    },
  };
}
