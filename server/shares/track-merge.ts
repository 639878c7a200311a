// Replaces a track in shares by another one in a merge, in the caller's transaction.
import { eq } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { shareTracks } from '../db/schema.ts';
import type { TrackMergePart } from '../library/track-merge.ts';

export const createShareMerge = ({ db }: { db: MainDb }): TrackMergePart => ({
  move(from: TrackId, to: TrackId): void {
    db.update(shareTracks).set({ trackId: to }).where(eq(shareTracks.trackId, from)).run();
  },
  rows: [{ table: 'share_tracks', column: 'track_id' }],
});
