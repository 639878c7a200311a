// Moves dismissals of duplicates to the remaining track when two tracks are merged, and undoes that. Runs inside the
// caller's transaction.
import { and, eq, or } from 'drizzle-orm';
import { z } from 'zod';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { duplicateDismissals } from '../db/schema.ts';
import type { TrackMergePart } from '../library/merges/track-merge.ts';
import { dismissPair, sortPair, regroup } from './duplicate-pairs.ts';

/**
 * Ids of the tracks that were dismissed on the remaining track before the merge; empty if an earlier version merged the
 * tracks.
 */
const OtherIds = z.array(z.int()).default([]);

export function createDismissalMerge({ db }: { db: MainDb }): TrackMergePart {
  const dismissalsOf = (id: TrackId) =>
    db
      .select()
      .from(duplicateDismissals)
      .where(or(eq(duplicateDismissals.trackId, id), eq(duplicateDismissals.otherId, id)))
      .all()
      .map(({ trackId, otherId, ...dismissal }) => ({ ...dismissal, otherId: trackId === id ? otherId : trackId }));

  return {
    move(from, to): void {
      const movedDismissals = dismissalsOf(from).filter(({ otherId: dismissedId }) => dismissedId !== to);
      if (movedDismissals.length === 0) return;
      for (const { otherId: dismissedId, ...dismissal } of movedDismissals) {
        const [trackId, otherId] = sortPair(to, dismissedId);
        // The dismissals of the merged track stay, so that they count again after an undo.
        db.insert(duplicateDismissals)
          .values({ trackId, otherId, ...dismissal })
          .onConflictDoNothing()
          .run();
      }
      regroup(db, [to]);
    },

    remembers: {
      name: 'dismissals',
      stateOf: (_, to): number[] => dismissalsOf(to).map(({ otherId: dismissedId }) => dismissedId),
    },

    bringBack(from, to, { remembered, by, undoneAt: at }): void {
      const previousOtherIds = OtherIds.parse(remembered);
      const sourceDismissals = dismissalsOf(from);
      for (const { otherId: dismissedId, createdAt } of dismissalsOf(to)) {
        const isMoved = sourceDismissals.some(
          (dismissal) => dismissal.otherId === dismissedId && dismissal.createdAt.getTime() === createdAt.getTime(),
        );
        if (!isMoved || previousOtherIds.includes(dismissedId)) continue;
        const [trackId, otherId] = sortPair(to, dismissedId);
        db.delete(duplicateDismissals)
          .where(and(eq(duplicateDismissals.trackId, trackId), eq(duplicateDismissals.otherId, otherId)))
          .run();
      }
      // a person who undoes a merge says that the two tracks are not the same
      if (by !== null) dismissPair(db, from, to, { userId: by, createdAt: at });
      regroup(db, [from, to]);
    },
  };
}
