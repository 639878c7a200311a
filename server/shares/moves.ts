// Shares let hear another track when theirs turned out to be the same music. Inside the caller's transaction.
import { eq } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { shareTracks } from '../db/schema.ts';
import type { TrackMover } from '../library/merge.ts';

export const createShareMoves = ({ db }: { db: MainDb }): TrackMover => ({
  move(from: TrackId, to: TrackId): void {
    db.update(shareTracks).set({ trackId: to }).where(eq(shareTracks.trackId, from)).run();
  },
});
