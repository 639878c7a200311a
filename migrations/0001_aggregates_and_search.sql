-- Counts on albums and artists, kept by triggers so that no writer can forget them.
CREATE TRIGGER tracks_insert_album AFTER INSERT ON tracks WHEN new.album_id IS NOT NULL BEGIN
  UPDATE albums SET
    track_count = track_count + 1,
    disc_count = max(disc_count, coalesce(new.disc_number, 1)),
    duration_ms = duration_ms + coalesce(new.duration_ms, 0),
    size_bytes = size_bytes + coalesce(new.size_bytes, 0)
  WHERE id = new.album_id;
END;
--> statement-breakpoint
CREATE TRIGGER tracks_delete_album AFTER DELETE ON tracks WHEN old.album_id IS NOT NULL BEGIN
  UPDATE albums SET
    track_count = track_count - 1,
    disc_count = coalesce((SELECT max(coalesce(disc_number, 1)) FROM tracks WHERE album_id = old.album_id), 0),
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
  UPDATE albums SET disc_count = coalesce((SELECT max(coalesce(disc_number, 1)) FROM tracks WHERE album_id = albums.id), 0)
  WHERE id IN (old.album_id, new.album_id);
END;
--> statement-breakpoint
CREATE TRIGGER track_artists_insert AFTER INSERT ON track_artists BEGIN
  UPDATE artists SET track_count = track_count + 1 WHERE id = new.artist_id;
END;
--> statement-breakpoint
CREATE TRIGGER track_artists_delete AFTER DELETE ON track_artists BEGIN
  UPDATE artists SET track_count = track_count - 1 WHERE id = old.artist_id;
END;
--> statement-breakpoint
CREATE TRIGGER albums_insert_artist AFTER INSERT ON albums WHEN new.artist_id IS NOT NULL BEGIN
  UPDATE artists SET album_count = album_count + 1 WHERE id = new.artist_id;
END;
--> statement-breakpoint
CREATE TRIGGER albums_delete_artist AFTER DELETE ON albums WHEN old.artist_id IS NOT NULL BEGIN
  UPDATE artists SET album_count = album_count - 1 WHERE id = old.artist_id;
END;
--> statement-breakpoint
CREATE TRIGGER albums_update_artist AFTER UPDATE OF artist_id ON albums WHEN old.artist_id IS NOT new.artist_id BEGIN
  UPDATE artists SET album_count = album_count - 1 WHERE id = old.artist_id;
  UPDATE artists SET album_count = album_count + 1 WHERE id = new.artist_id;
END;
--> statement-breakpoint
-- library/: folded text of every track, album and artist, by trigrams. rowid = id * 4 + kind (0 track, 1 album, 2 artist).
-- Written by library/search-index.ts in the transaction that writes the row; read by search/.
CREATE VIRTUAL TABLE search_trigrams USING fts5(text, content='', contentless_delete=1, tokenize='trigram case_sensitive 1');
