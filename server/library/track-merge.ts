// Merges two tracks: likes, plays and playlist entries move to the one that is kept, and the other is removed. Each
// module moves the rows of its own tables. merges.ts keeps what it takes to undo it.
import { eq } from 'drizzle-orm';
import type { Db, MainDb } from '../db/client.ts';
import type { TrackId, UserId } from '../db/ids.ts';
import { tracks } from '../db/schema.ts';
import { conflict, notFound } from '../errors.ts';
import { removeTrackRow, type LeftOver, type RowRemovalDeps } from './row-removal.ts';

/** What a module with data on tracks registers. All of it runs inside a write transaction. */
export interface TrackMergePart {
  /** Both tracks exist. Leaves nothing on `from`. */
  move?(from: TrackId, to: TrackId): void;
  /** Moves what was done since a moment; false if nothing was. Both tracks exist, and go on. */
  moveSince?(from: TrackId, to: TrackId, since: Date): boolean;
  /** Tables of which `move` moves whole rows, with the column that refers to the track: an undo moves them back. */
  rows?: readonly { table: string; column: string }[];
  /** What else an undo needs to know, before the merge, as JSON, and under which name it is kept. */
  remembers?: { name: string; of(from: TrackId, to: TrackId): unknown };
  /** A merge is undone: both tracks exist again. */
  bringBack?(from: TrackId, to: TrackId, undo: Undo): void;
}

interface Undo {
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
  const isThere = (id: TrackId): boolean =>
    db.select({ id: tracks.id }).from(tracks).where(eq(tracks.id, id)).get() !== undefined;

  const removeRow = (tx: Db, id: TrackId): LeftOver => removeTrackRow(tx, writer, id);

  /**
   * Atomic, and part of the caller's transaction if there is one. Keeps the fields and audio of `kept`. The caller
   * handles the other's file before the call and releases its objects after the transaction. Throws `not_found`.
   */
  function mergeInto(kept: TrackId, emptied: TrackId, remove = removeRow): LeftOver {
    if (kept === emptied) throw conflict('A track cannot be merged with itself.');
    return db.transaction(
      (tx) => {
        for (const id of [kept, emptied]) if (!isThere(id)) throw notFound('track', id);
        for (const mover of movers) mover.move?.(emptied, kept);
        return remove(tx, emptied);
      },
      { behavior: 'immediate' },
    );
  }

  return { mergeInto };
}
