// Compares the play counts that triggers maintain with a recount of the rows.
import type { MainDb } from '../../server/db/client.ts';

export const keptCounts = (db: MainDb): unknown[] =>
  db.$client
    .prepare('SELECT user_id, item_type, item_id, plays, last_played_at FROM play_counts ORDER BY 1, 2, 3')
    .all();

export const recountedPlays = (db: MainDb): unknown[] =>
  db.$client
    .prepare(`
  WITH p AS (SELECT user_id, track_id, played_at FROM plays WHERE withdrawn_at IS NULL)
  SELECT user_id, 'all' AS item_type, 0 AS item_id, count(*) AS plays, max(played_at) AS last_played_at FROM p GROUP BY user_id
  UNION ALL SELECT user_id, 'track', track_id, count(*), max(played_at) FROM p WHERE track_id IS NOT NULL GROUP BY user_id, track_id
  UNION ALL SELECT p.user_id, 'album', t.album_id, count(*), max(p.played_at) FROM p JOIN tracks t ON t.id = p.track_id WHERE t.album_id IS NOT NULL GROUP BY p.user_id, t.album_id
  UNION ALL SELECT p.user_id, 'artist', a.artist_id, count(*), max(p.played_at) FROM p JOIN track_artists a ON a.track_id = p.track_id GROUP BY p.user_id, a.artist_id
  ORDER BY 1, 2, 3`)
    .all();
