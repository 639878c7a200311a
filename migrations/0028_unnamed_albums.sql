-- Tracks without an album get one that has no name, of their artist or of one that has no name (library/resolve.ts). Such
-- an album may have very many tracks, so that its discs are no longer counted by reading all of them.
DROP TRIGGER tracks_delete_album;
--> statement-breakpoint
DROP TRIGGER tracks_update_album;
--> statement-breakpoint
CREATE TRIGGER tracks_delete_album AFTER DELETE ON tracks WHEN old.album_id IS NOT NULL BEGIN
  UPDATE albums SET
    track_count = track_count - 1,
    disc_count = iif(track_count = 1, 0,
      max(1, coalesce((SELECT max(disc_number) FROM tracks WHERE album_id = old.album_id), 1))),
    duration_ms = duration_ms - coalesce(old.duration_ms, 0),
    size_bytes = size_bytes - coalesce(old.size_bytes, 0)
  WHERE id = old.album_id;
END;
--> statement-breakpoint
CREATE TRIGGER tracks_update_album AFTER UPDATE OF album_id, disc_number, duration_ms, size_bytes ON tracks
WHEN old.album_id IS NOT new.album_id OR old.disc_number IS NOT new.disc_number
  OR old.duration_ms IS NOT new.duration_ms OR old.size_bytes IS NOT new.size_bytes BEGIN
  UPDATE albums SET
    track_count = track_count - 1,
    duration_ms = duration_ms - coalesce(old.duration_ms, 0),
    size_bytes = size_bytes - coalesce(old.size_bytes, 0)
  WHERE id = old.album_id;
  UPDATE albums SET
    track_count = track_count + 1,
    duration_ms = duration_ms + coalesce(new.duration_ms, 0),
    size_bytes = size_bytes + coalesce(new.size_bytes, 0)
  WHERE id = new.album_id;
  UPDATE albums SET disc_count = iif(track_count = 0, 0,
    max(1, coalesce((SELECT max(disc_number) FROM tracks WHERE album_id = albums.id), 1)))
  WHERE id IN (old.album_id, new.album_id);
END;
--> statement-breakpoint
INSERT OR IGNORE INTO artists (name, name_key, sort_name, sort_key, created_at, updated_at)
  SELECT '[Unknown Artist]', '[unknown artist]', '[Unknown Artist]', '[unknown artist]',
    CAST(unixepoch('subsec') * 1000 AS INTEGER), CAST(unixepoch('subsec') * 1000 AS INTEGER)
  WHERE EXISTS (SELECT 1 FROM tracks WHERE album_id IS NULL AND artist_id IS NULL);
--> statement-breakpoint
INSERT INTO albums (title, title_sort, artist_id, artist_sort, created_at, updated_at)
  SELECT '[Unknown Album]', '[unknown album]', a.id, a.sort_key,
    CAST(unixepoch('subsec') * 1000 AS INTEGER), CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM artists a WHERE a.id IN (
    SELECT coalesce(artist_id, (SELECT id FROM artists WHERE name_key = '[unknown artist]'))
    FROM tracks WHERE album_id IS NULL);
--> statement-breakpoint
INSERT OR IGNORE INTO album_keys (key, album_id)
  SELECT 't:' || artist_id || ':' || char(10), id FROM albums WHERE title_sort = '[unknown album]' ORDER BY id DESC;
--> statement-breakpoint
UPDATE tracks SET album_id = (SELECT album_id FROM album_keys WHERE key = 't:' ||
    coalesce(artist_id, (SELECT id FROM artists WHERE name_key = '[unknown artist]')) || ':' || char(10))
  WHERE album_id IS NULL;
--> statement-breakpoint
UPDATE tracks SET album_sort = '' WHERE album_sort = '[unknown album]';
