// Carries over which tracks a person says are not the same when two tracks are merged, and takes it back when that is
// undone. Runs inside the caller's transaction.
import { and, eq, or } from 'drizzle-orm';
import { z } from 'zod';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { duplicateDismissals } from '../db/schema.ts';
import type { TrackMergePart } from '../library/merges/track-merge.ts';
import { dismissPair, sortPair, regroup } from './duplicate-pairs.ts';

/** Ids dismissed on the kept track before the merge; absent when an older version merged it. */
const OtherIds = z.array(z.int()).default([]);

export function createDismissalMerge({ db }: { db: MainDb }): TrackMergePart {
  const dismissalsOf = (id: TrackId) =>
    db
      .select()
      .from(duplicateDismissals)
      .where(or(eq(duplicateDismissals.trackId, id), eq(duplicateDismissals.otherId, id)))
      .all()
      .map(({ trackId, otherId, ...by }) => ({ ...by, otherId: trackId === id ? otherId : trackId }));

  return {
    move(from, to): void {
      const moved = dismissalsOf(from).filter(({ otherId: other }) => other !== to);
      if (moved.length === 0) return;
      for (const { otherId: other, ...by } of moved) {
        const [trackId, otherId] = sortPair(to, other);
        // The source's own pairs stay, so that they count again after an undo.
        db.insert(duplicateDismissals)
          .values({ trackId, otherId, ...by })
          .onConflictDoNothing()
          .run();
      }
      regroup(db, [to]);
    },

    remembers: {
      name: 'dismissals',
      stateOf: (_, to): number[] => dismissalsOf(to).map(({ otherId: other }) => other),
    },

    bringBack(from, to, { remembered, by, undoneAt: at }): void {
      const previousOtherIds = OtherIds.parse(remembered);
      const sourceDismissals = dismissalsOf(from);
      for (const { otherId: other, createdAt } of dismissalsOf(to)) {
        const isMoved = sourceDismissals.some(
          (dismissal) => dismissal.otherId === other && dismissal.createdAt.getTime() === createdAt.getTime(),
        );
        if (!isMoved || previousOtherIds.includes(other)) continue;
        const [trackId, otherId] = sortPair(to, other);
        db.delete(duplicateDismissals)
          .where(and(eq(duplicateDismissals.trackId, trackId), eq(duplicateDismissals.otherId, otherId)))
          .run();
      }
      // a person who separates two tracks says that they are not the same
      if (by !== null) dismissPair(db, from, to, { userId: by, createdAt: at });
      regroup(db, [from, to]);
    },
  };
}
