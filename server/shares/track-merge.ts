// Replaces a track in shares when it is merged into another track, in the caller's transaction.
import { and, eq, gte, inArray } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { shares, shareTracks } from '../db/schema.ts';
import type { TrackMergePart } from '../library/merges/track-merge.ts';

export const createShareMerge = ({ db }: { db: MainDb }): TrackMergePart => ({
  moveSince(from: TrackId, to: TrackId, since: Date): boolean {
    const sharedSince = db.select({ id: shares.id }).from(shares).where(gte(shares.createdAt, since));
    return (
      db
        .update(shareTracks)
        .set({ trackId: to })
        .where(and(eq(shareTracks.trackId, from), inArray(shareTracks.shareId, sharedSince)))
        .run().changes > 0
    );
  },

  move(from: TrackId, to: TrackId): void {
    db.update(shareTracks).set({ trackId: to }).where(eq(shareTracks.trackId, from)).run();
  },
  rows: [{ table: 'share_tracks', column: 'track_id' }],
});
