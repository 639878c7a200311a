// Merges two tracks: likes, plays and playlist entries move to the kept track, and the other is removed. Each module
// moves the rows of its own tables. merges.ts stores what an undo needs.
import { eq } from 'drizzle-orm';
import type { Db, MainDb } from '../../db/client.ts';
import type { TrackId, UserId } from '../../db/ids.ts';
import { tracks } from '../../db/schema.ts';
import { conflict, notFound } from '../../errors.ts';
import { removeTrackRow, type LeftOver, type RowRemovalDeps } from '../tracks/row-removal.ts';

/** The part of a merge that a module with data on tracks registers. Every method runs inside a write transaction. */
export interface TrackMergePart {
  /** Moves all rows from `from` to `to`. Both tracks exist. With `takesFile`, `to` gets the file of `from`. */
  move?(from: TrackId, to: TrackId, merge: { takesFile: boolean }): void;
  /** Moves rows that are newer than `since`; returns false if there are no such rows. Both tracks stay. */
  moveSince?(from: TrackId, to: TrackId, since: Date): boolean;
  /** Tables of which `move` moves whole rows, with the column that refers to the track: an undo moves them back. */
  rows?: readonly { table: string; column: string }[];
  /** Further state that an undo needs: the name under which it is stored, and a function that returns it as JSON. */
  remembers?: { name: string; stateOf(from: TrackId, to: TrackId): unknown };
  /** Called when a merge is undone: both tracks exist again. */
  bringBack?(from: TrackId, to: TrackId, undo: MergeUndo): void;
}

interface MergeUndo {
  remembered: unknown;
  /** True if, in the merge, `to` had taken over the file of `from`. */
  tookFile: boolean;
  /** The user who undoes the merge; null for a scan. */
  by: UserId | null;
  undoneAt: Date;
}

interface MergeOptions {
  /** Removes the row of the emptied track. */
  remove?: (tx: Db, id: TrackId) => LeftOver;
  /** True if the caller gives the file of the emptied track to the kept one. */
  takesFile?: boolean;
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
   * Merges a track into another, in one transaction or as part of the caller's. Keeps the fields and audio of `keptId`.
   * The caller handles the emptied track's file before the call and releases its objects after the transaction. Throws
   * `not_found`.
   */
  function mergeInto(
    keptId: TrackId,
    emptiedId: TrackId,
    { remove = removeRow, takesFile = false }: MergeOptions = {},
  ): LeftOver {
    if (keptId === emptiedId) throw conflict('A track cannot be merged with itself.');
    return db.transaction(
      (tx) => {
        for (const id of [keptId, emptiedId]) if (!exists(id)) throw notFound('track', id);
        for (const mover of movers) mover.move?.(emptiedId, keptId, { takesFile });
        return remove(tx, emptiedId);
      },
      { behavior: 'immediate' },
    );
  }

  return { mergeInto };
}
