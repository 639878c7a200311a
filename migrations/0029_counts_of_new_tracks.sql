CREATE TABLE `counted_tracks` (
	`up_to` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO counted_tracks (up_to) VALUES (9007199254740991);
--> statement-breakpoint
-- As before, but for tracks above the mark, which are counted at the end of their batch.
DROP TRIGGER tracks_insert_album;
--> statement-breakpoint
DROP TRIGGER tracks_insert_totals;
--> statement-breakpoint
DROP TRIGGER tracks_insert_changes;
--> statement-breakpoint
CREATE TRIGGER tracks_insert_counts AFTER INSERT ON tracks WHEN new.id <= (SELECT up_to FROM counted_tracks) BEGIN
  UPDATE albums SET
    track_count = track_count + 1,
    disc_count = max(disc_count, coalesce(new.disc_number, 1)),
    duration_ms = duration_ms + coalesce(new.duration_ms, 0),
    size_bytes = size_bytes + coalesce(new.size_bytes, 0)
  WHERE id = new.album_id;
  INSERT INTO library_totals (source, metadata_status, format, tracks, size_bytes, duration_ms)
    VALUES (new.source, new.metadata_status, coalesce(new.format, ''), 1, coalesce(new.size_bytes, 0), coalesce(new.duration_ms, 0))
  ON CONFLICT (source, metadata_status, format) DO UPDATE SET
    tracks = tracks + 1, size_bytes = size_bytes + excluded.size_bytes, duration_ms = duration_ms + excluded.duration_ms;
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER tracks_delete_album;
--> statement-breakpoint
CREATE TRIGGER tracks_delete_album AFTER DELETE ON tracks
WHEN old.album_id IS NOT NULL AND old.id <= (SELECT up_to FROM counted_tracks) BEGIN
  UPDATE albums SET
    track_count = track_count - 1,
    disc_count = iif(track_count = 1, 0,
      max(1, coalesce((SELECT max(disc_number) FROM tracks WHERE album_id = old.album_id), 1))),
    duration_ms = duration_ms - coalesce(old.duration_ms, 0),
    size_bytes = size_bytes - coalesce(old.size_bytes, 0)
  WHERE id = old.album_id;
END;
--> statement-breakpoint
DROP TRIGGER tracks_update_album;
--> statement-breakpoint
CREATE TRIGGER tracks_update_album AFTER UPDATE OF album_id, disc_number, duration_ms, size_bytes ON tracks
WHEN (old.album_id IS NOT new.album_id OR old.disc_number IS NOT new.disc_number
  OR old.duration_ms IS NOT new.duration_ms OR old.size_bytes IS NOT new.size_bytes)
  AND old.id <= (SELECT up_to FROM counted_tracks) BEGIN
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
DROP TRIGGER tracks_delete_totals;
--> statement-breakpoint
CREATE TRIGGER tracks_delete_totals AFTER DELETE ON tracks WHEN old.id <= (SELECT up_to FROM counted_tracks) BEGIN
  UPDATE library_totals SET tracks = tracks - 1, size_bytes = size_bytes - coalesce(old.size_bytes, 0), duration_ms = duration_ms - coalesce(old.duration_ms, 0)
    WHERE source = old.source AND metadata_status = old.metadata_status AND format = coalesce(old.format, '');
END;
--> statement-breakpoint
DROP TRIGGER tracks_update_totals;
--> statement-breakpoint
CREATE TRIGGER tracks_update_totals AFTER UPDATE OF source, metadata_status, format, size_bytes, duration_ms ON tracks
WHEN (old.source <> new.source OR old.metadata_status <> new.metadata_status OR old.format IS NOT new.format
  OR old.size_bytes IS NOT new.size_bytes OR old.duration_ms IS NOT new.duration_ms)
  AND old.id <= (SELECT up_to FROM counted_tracks) BEGIN
  UPDATE library_totals SET tracks = tracks - 1, size_bytes = size_bytes - coalesce(old.size_bytes, 0), duration_ms = duration_ms - coalesce(old.duration_ms, 0)
    WHERE source = old.source AND metadata_status = old.metadata_status AND format = coalesce(old.format, '');
  INSERT INTO library_totals (source, metadata_status, format, tracks, size_bytes, duration_ms)
    VALUES (new.source, new.metadata_status, coalesce(new.format, ''), 1, coalesce(new.size_bytes, 0), coalesce(new.duration_ms, 0))
  ON CONFLICT (source, metadata_status, format) DO UPDATE SET
    tracks = tracks + 1, size_bytes = size_bytes + excluded.size_bytes, duration_ms = duration_ms + excluded.duration_ms;
END;
--> statement-breakpoint
DROP TRIGGER track_artists_insert;
--> statement-breakpoint
DROP TRIGGER track_artists_insert_changes;
--> statement-breakpoint
CREATE TRIGGER track_artists_insert AFTER INSERT ON track_artists
WHEN new.track_id <= (SELECT up_to FROM counted_tracks) BEGIN
  UPDATE artists SET track_count = track_count + 1 WHERE id = new.artist_id;
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER track_artists_delete;
--> statement-breakpoint
CREATE TRIGGER track_artists_delete AFTER DELETE ON track_artists
WHEN old.track_id <= (SELECT up_to FROM counted_tracks) BEGIN
  UPDATE artists SET track_count = track_count - 1 WHERE id = old.artist_id;
END;
--> statement-breakpoint
DROP TRIGGER track_genres_insert;
--> statement-breakpoint
DROP TRIGGER track_genres_insert_album;
--> statement-breakpoint
CREATE TRIGGER track_genres_insert AFTER INSERT ON track_genres
WHEN new.track_id <= (SELECT up_to FROM counted_tracks) BEGIN
  UPDATE genres SET track_count = track_count + 1 WHERE id = new.genre_id;
  INSERT INTO album_genres (genre_id, album_id, track_count) SELECT new.genre_id, album_id, 1 FROM tracks WHERE id = new.track_id AND album_id IS NOT NULL
    ON CONFLICT (genre_id, album_id) DO UPDATE SET track_count = track_count + 1;
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER track_genres_delete;
--> statement-breakpoint
DROP TRIGGER track_genres_delete_album;
--> statement-breakpoint
CREATE TRIGGER track_genres_delete AFTER DELETE ON track_genres
WHEN old.track_id <= (SELECT up_to FROM counted_tracks) BEGIN
  UPDATE genres SET track_count = track_count - 1 WHERE id = old.genre_id;
  UPDATE album_genres SET track_count = track_count - 1 WHERE genre_id = old.genre_id AND album_id = (SELECT album_id FROM tracks WHERE id = old.track_id);
  DELETE FROM album_genres WHERE genre_id = old.genre_id AND album_id = (SELECT album_id FROM tracks WHERE id = old.track_id) AND track_count <= 0;
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER tracks_delete_genres;
--> statement-breakpoint
CREATE TRIGGER tracks_delete_genres BEFORE DELETE ON tracks
WHEN old.album_id IS NOT NULL AND old.id <= (SELECT up_to FROM counted_tracks) BEGIN
  UPDATE album_genres SET track_count = track_count - 1 WHERE album_id = old.album_id AND genre_id IN (SELECT genre_id FROM track_genres WHERE track_id = old.id);
  DELETE FROM album_genres WHERE album_id = old.album_id AND track_count <= 0;
END;
--> statement-breakpoint
DROP TRIGGER tracks_update_genres;
--> statement-breakpoint
CREATE TRIGGER tracks_update_genres AFTER UPDATE OF album_id ON tracks
WHEN old.album_id IS NOT new.album_id AND old.id <= (SELECT up_to FROM counted_tracks) BEGIN
  UPDATE album_genres SET track_count = track_count - 1 WHERE album_id = old.album_id AND genre_id IN (SELECT genre_id FROM track_genres WHERE track_id = old.id);
  DELETE FROM album_genres WHERE album_id = old.album_id AND track_count <= 0;
  INSERT INTO album_genres (genre_id, album_id, track_count) SELECT genre_id, new.album_id, 1 FROM track_genres WHERE track_id = new.id AND new.album_id IS NOT NULL
    ON CONFLICT (genre_id, album_id) DO UPDATE SET track_count = track_count + 1;
END;
