// Two tracks turn out to be the same music: what hangs on one goes over to the other, and the emptied one goes. Each
// table is moved by the room that owns it; this room knows only that there are some.
import { eq } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { tracks } from '../db/schema.ts';
import { conflict, notFound } from '../errors.ts';
import { removeTrackRow, type LeftOver, type RowRemovalDeps } from './row-removal.ts';

/** A room that has something of people hanging on tracks. */
export interface TrackMergePart {
  /** Both tracks are there. Runs inside a writing transaction; leaves nothing on `from`. */
  move(from: TrackId, to: TrackId): void;
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

  /**
   * All or nothing; inside a transaction of the caller's it is a part of that. The kept track's own fields and audio
   * stay as they are. What becomes of the other's file is the caller's business, before the call. Its objects are to be
   * released after the transaction.
   */
  function mergeInto(kept: TrackId, emptied: TrackId): LeftOver {
    if (kept === emptied) throw conflict('A track cannot be merged with itself.');
    return db.transaction(
      (tx) => {
        for (const id of [kept, emptied]) if (!isThere(id)) throw notFound('track', id);
        for (const mover of movers) mover.move(emptied, kept);
        return removeTrackRow(tx, writer, emptied);
      },
      { behavior: 'immediate' },
    );
  }

  return { mergeInto };
}
