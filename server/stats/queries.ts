// Reads single plays, and finds out whether a track, a song or an artist was played before a time.
import type { Sqlite } from '../db/client.ts';
import type { ArtistId, PlayId, TrackId, UserId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { plays } from '../db/schema.ts';

export type PlayedAt = RowAs<typeof plays, 'playedAt' | 'title' | 'artistName' | 'trackId'>;

export function preparePlays(client: Sqlite) {
  const findPlay = client.prepare<[PlayId], PlayedAt>(
    'SELECT played_at AS playedAt, title, artist_name AS artistName, track_id AS trackId FROM plays WHERE id = ?',
  );
  const findEarlierTrackPlay = client
    .prepare<[TrackId, UserId, number], number>(
      'SELECT 1 FROM plays WHERE track_id = ? AND user_id = ? AND played_at < ? AND withdrawn_at IS NULL LIMIT 1',
    )
    .pluck();
  const findEarlierSongPlay = client
    .prepare<[UserId, number, number], number>(
      'SELECT 1 FROM plays WHERE user_id = ? AND song_key = ? AND played_at < ? AND withdrawn_at IS NULL LIMIT 1',
    )
    .pluck();
  const findEarlierArtistPlay = client
    .prepare<
      [ArtistId, UserId, number],
      number
    >(`SELECT 1 FROM track_artists a CROSS JOIN plays p ON p.track_id = a.track_id
    WHERE a.artist_id = ? AND p.user_id = ? AND p.played_at < ? AND p.withdrawn_at IS NULL LIMIT 1`)
    .pluck();
  return { findPlay, findEarlierTrackPlay, findEarlierSongPlay, findEarlierArtistPlay };
}
