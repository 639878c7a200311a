-- The triggers count changes and no longer write what changed.
DROP TRIGGER changed_items_insert;
--> statement-breakpoint
DROP TRIGGER tracks_move_changes;
--> statement-breakpoint
DROP TRIGGER albums_move_changes;
--> statement-breakpoint
DROP TRIGGER albums_name_changes;
--> statement-breakpoint
DROP TRIGGER artists_name_changes;
--> statement-breakpoint
DROP TRIGGER tracks_delete_changes;
--> statement-breakpoint
CREATE TRIGGER tracks_delete_changes AFTER DELETE ON tracks BEGIN
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER tracks_update_changes;
--> statement-breakpoint
CREATE TRIGGER tracks_update_changes AFTER UPDATE ON tracks BEGIN
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER tracks_insert_counts;
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
DROP TRIGGER track_artists_insert;
--> statement-breakpoint
CREATE TRIGGER track_artists_insert AFTER INSERT ON track_artists
WHEN new.track_id <= (SELECT up_to FROM counted_tracks) BEGIN
  UPDATE artists SET track_count = track_count + 1 WHERE id = new.artist_id;
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER track_artists_delete_changes;
--> statement-breakpoint
CREATE TRIGGER track_artists_delete_changes AFTER DELETE ON track_artists BEGIN
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER track_genres_insert;
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
CREATE TRIGGER track_genres_delete AFTER DELETE ON track_genres
WHEN old.track_id <= (SELECT up_to FROM counted_tracks) BEGIN
  UPDATE genres SET track_count = track_count - 1 WHERE id = old.genre_id;
  UPDATE album_genres SET track_count = track_count - 1 WHERE genre_id = old.genre_id AND album_id = (SELECT album_id FROM tracks WHERE id = old.track_id);
  DELETE FROM album_genres WHERE genre_id = old.genre_id AND album_id = (SELECT album_id FROM tracks WHERE id = old.track_id) AND track_count <= 0;
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER albums_insert_changes;
--> statement-breakpoint
CREATE TRIGGER albums_insert_changes AFTER INSERT ON albums BEGIN
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER albums_delete_changes;
--> statement-breakpoint
CREATE TRIGGER albums_delete_changes AFTER DELETE ON albums BEGIN
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER albums_update_changes;
--> statement-breakpoint
CREATE TRIGGER albums_update_changes AFTER UPDATE OF title, title_sort, artist_id, artist_sort, year, created_at ON albums BEGIN
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER artists_insert_changes;
--> statement-breakpoint
CREATE TRIGGER artists_insert_changes AFTER INSERT ON artists BEGIN
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER artists_delete_changes;
--> statement-breakpoint
CREATE TRIGGER artists_delete_changes AFTER DELETE ON artists BEGIN
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER artists_update_changes;
--> statement-breakpoint
CREATE TRIGGER artists_update_changes AFTER UPDATE OF name, sort_name, sort_key, first_year, created_at ON artists BEGIN
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER like_states_insert_changes;
--> statement-breakpoint
CREATE TRIGGER like_states_insert_changes AFTER INSERT ON like_states BEGIN
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'likes';
END;
--> statement-breakpoint
DROP TRIGGER like_states_delete_changes;
--> statement-breakpoint
CREATE TRIGGER like_states_delete_changes AFTER DELETE ON like_states BEGIN
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'likes';
END;
--> statement-breakpoint
DROP TRIGGER like_states_update_changes;
--> statement-breakpoint
CREATE TRIGGER like_states_update_changes AFTER UPDATE OF liked ON like_states WHEN old.liked <> new.liked BEGIN
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'likes';
END;
--> statement-breakpoint
DROP TRIGGER play_counts_insert_changes;
--> statement-breakpoint
CREATE TRIGGER play_counts_insert_changes AFTER INSERT ON play_counts BEGIN
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'plays';
END;
--> statement-breakpoint
DROP TRIGGER play_counts_delete_changes;
--> statement-breakpoint
CREATE TRIGGER play_counts_delete_changes AFTER DELETE ON play_counts BEGIN
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'plays';
END;
--> statement-breakpoint
DROP TRIGGER play_counts_update_changes;
--> statement-breakpoint
CREATE TRIGGER play_counts_update_changes AFTER UPDATE ON play_counts BEGIN
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'plays';
END;
--> statement-breakpoint
DROP TABLE `changed_items`;
