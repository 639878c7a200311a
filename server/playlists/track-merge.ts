// Moves playlist entries of a merged track, in earlier versions too, so that these can still be restored. Runs inside
// the caller's transaction.
import { and, eq, gte, inArray } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { playlistEntries, playlistPastEntries, playlists } from '../db/schema.ts';
import type { TrackMergePart } from '../library/merges/track-merge.ts';

export function createEntryMerge({ db, now }: { db: MainDb; now: () => Date }): TrackMergePart {
  return {
    moveSince(from: TrackId, to: TrackId, since: Date): boolean {
      const isLater = and(eq(playlistEntries.trackId, from), gte(playlistEntries.addedAt, since));
      return db.update(playlistEntries).set({ trackId: to }).where(isLater).run().changes > 0;
    },

    /**
     * Moves entries to the kept track. They keep their ids and positions, even if a list had both tracks: repeated
     * tracks are allowed.
     */
    move(from: TrackId, to: TrackId): void {
      db.update(playlistPastEntries).set({ trackId: to }).where(eq(playlistPastEntries.trackId, from)).run();
      const changedLists = db
        .update(playlistEntries)
        .set({ trackId: to })
        .where(eq(playlistEntries.trackId, from))
        .returning({ id: playlistEntries.playlistId })
        .all();
      if (changedLists.length > 0)
        db.update(playlists)
          .set({ updatedAt: now() })
          .where(
            inArray(
              playlists.id,
              changedLists.map(({ id }) => id),
            ),
          )
          .run();
    },
    rows: [
      { table: 'playlist_entries', column: 'track_id' },
      { table: 'playlist_past_entries', column: 'track_id' },
    ],
  };
}
