// Merges two tracks: likes, plays and playlist entries move to the one that is kept, and the other is removed. Each
// module moves the rows of its own tables. merges.ts keeps what it takes to undo it.
import { eq } from 'drizzle-orm';
import type { Db, MainDb } from '../../db/client.ts';
import type { TrackId, UserId } from '../../db/ids.ts';
import { tracks } from '../../db/schema.ts';
import { conflict, notFound } from '../../errors.ts';
import { removeTrackRow, type LeftOver, type RowRemovalDeps } from '../tracks/row-removal.ts';

/** Registered by a module with data on tracks. Every method runs inside a write transaction. */
export interface TrackMergePart {
  /** Moves all rows from `from` to `to`. Both tracks exist. */
  move?(from: TrackId, to: TrackId): void;
  /** Moves rows that are newer than `since`; returns false if there are none. Both tracks stay. */
  moveSince?(from: TrackId, to: TrackId, since: Date): boolean;
  /** Tables of which `move` moves whole rows, with the column that refers to the track: an undo moves them back. */
  rows?: readonly { table: string; column: string }[];
  /** Further state before the merge that an undo needs, as JSON, and the name under which it is stored. */
  remembers?: { name: string; of(from: TrackId, to: TrackId): unknown };
  /** Called when a merge is undone: both tracks exist again. */
  bringBack?(from: TrackId, to: TrackId, undo: MergeUndo): void;
}

interface MergeUndo {
  remembered: unknown;
  /** In the merge, `to` had taken over the file of `from`. */
  tookFile: boolean;
  /** Null for a scan. */
  by: UserId | null;
  at: Date;
}

export type TrackMerge = ReturnType<typeof createTrackMerge>;

export function createTrackMerge({
  db,
  tracks: writer,
  movers,
}: {
  db: MainDb;
  tracks: RowRemovalDeps;
  movers: readonly TrackMergePart[];
}) {
  const exists = (id: TrackId): boolean =>
    db.select({ id: tracks.id }).from(tracks).where(eq(tracks.id, id)).get() !== undefined;

  const removeRow = (tx: Db, id: TrackId): LeftOver => removeTrackRow(tx, writer, id);

  /**
   * Atomic, and part of the caller's transaction if there is one. Keeps the fields and audio of `keptId`. The caller
   * handles the other's file before the call and releases its objects after the transaction. Throws `not_found`.
   */
  function mergeInto(keptId: TrackId, emptiedId: TrackId, remove = removeRow): LeftOver {
    if (keptId === emptiedId) throw conflict('A track cannot be merged with itself.');
    return db.transaction(
      (tx) => {
        for (const id of [keptId, emptiedId]) if (!exists(id)) throw notFound('track', id);
        for (const mover of movers) mover.move?.(emptiedId, keptId);
        return remove(tx, emptiedId);
      },
      { behavior: 'immediate' },
    );
  }

  return { mergeInto };
}
