// A track's places in playlists go over to another one that turned out to be the same music, in earlier versions too,
// so that these can still be restored. Inside the caller's transaction.
import { eq, inArray } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { playlistEntries, playlistPastEntries, playlists } from '../db/schema.ts';
import type { TrackMergePart } from '../library/track-merge.ts';

export function createEntryMerge({ db, now }: { db: MainDb; now: () => Date }): TrackMergePart {
  return {
    /**
     * Entries keep their ids and places, also where a list has both tracks: how often a song is in it is the person's
     * choice.
     */
    move(from: TrackId, to: TrackId): void {
      db.update(playlistPastEntries).set({ trackId: to }).where(eq(playlistPastEntries.trackId, from)).run();
      const touched = db
        .update(playlistEntries)
        .set({ trackId: to })
        .where(eq(playlistEntries.trackId, from))
        .returning({ id: playlistEntries.playlistId })
        .all();
      if (touched.length > 0)
        db.update(playlists)
          .set({ updatedAt: now() })
          .where(
            inArray(
              playlists.id,
              touched.map(({ id }) => id),
            ),
          )
          .run();
    },
  };
}
