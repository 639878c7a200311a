// Statements for the tracks in the jukebox's queue.
import { inArray } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import type { ArtistId, TrackId } from '../db/ids.ts';
import { tracks } from '../db/schema.ts';

/** Returns the main artists of tracks, by the track's id. */
export function listArtistsOf(db: Db, ids: readonly TrackId[]): Map<TrackId, ArtistId | null> {
  const rows = db
    .select({ id: tracks.id, artistId: tracks.artistId })
    .from(tracks)
    .where(inArray(tracks.id, [...ids]));
  return new Map(rows.all().map(({ id, artistId }) => [id, artistId]));
}
