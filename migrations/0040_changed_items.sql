CREATE TABLE `changed_items` (
	`topic` text NOT NULL,
	`change` integer NOT NULL,
	`kind` text NOT NULL,
	`item_id` integer NOT NULL,
	PRIMARY KEY(`topic`, `change`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TRIGGER changed_items_insert AFTER INSERT ON changed_items BEGIN
  UPDATE change_counts SET changes = new.change WHERE topic = new.topic;
  DELETE FROM changed_items WHERE new.change % 100 = 0 AND topic = new.topic AND change <= new.change - 1000;
END;
--> statement-breakpoint
-- As before, but with what changed.
DROP TRIGGER tracks_delete_changes;
--> statement-breakpoint
CREATE TRIGGER tracks_delete_changes AFTER DELETE ON tracks BEGIN
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, 'track', old.id FROM change_counts WHERE topic = 'library';
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, 'album', old.album_id FROM change_counts WHERE topic = 'library' AND old.album_id IS NOT NULL;
END;
--> statement-breakpoint
DROP TRIGGER tracks_update_changes;
--> statement-breakpoint
CREATE TRIGGER tracks_update_changes AFTER UPDATE ON tracks BEGIN
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, 'track', new.id FROM change_counts WHERE topic = 'library';
END;
--> statement-breakpoint
CREATE TRIGGER tracks_move_changes AFTER UPDATE OF album_id ON tracks WHEN old.album_id IS NOT NULL AND old.album_id IS NOT new.album_id BEGIN
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, 'album', old.album_id FROM change_counts WHERE topic = 'library';
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
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, 'track', new.id FROM change_counts WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER track_artists_insert;
--> statement-breakpoint
CREATE TRIGGER track_artists_insert AFTER INSERT ON track_artists
WHEN new.track_id <= (SELECT up_to FROM counted_tracks) BEGIN
  UPDATE artists SET track_count = track_count + 1 WHERE id = new.artist_id;
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, 'track', new.track_id FROM change_counts WHERE topic = 'library';
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, 'artist', new.artist_id FROM change_counts WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER track_artists_delete_changes;
--> statement-breakpoint
CREATE TRIGGER track_artists_delete_changes AFTER DELETE ON track_artists BEGIN
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, 'track', old.track_id FROM change_counts WHERE topic = 'library';
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, 'artist', old.artist_id FROM change_counts WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER track_genres_insert;
--> statement-breakpoint
CREATE TRIGGER track_genres_insert AFTER INSERT ON track_genres
WHEN new.track_id <= (SELECT up_to FROM counted_tracks) BEGIN
  UPDATE genres SET track_count = track_count + 1 WHERE id = new.genre_id;
  INSERT INTO album_genres (genre_id, album_id, track_count) SELECT new.genre_id, album_id, 1 FROM tracks WHERE id = new.track_id AND album_id IS NOT NULL
    ON CONFLICT (genre_id, album_id) DO UPDATE SET track_count = track_count + 1;
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, 'track', new.track_id FROM change_counts WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER track_genres_delete;
--> statement-breakpoint
CREATE TRIGGER track_genres_delete AFTER DELETE ON track_genres
WHEN old.track_id <= (SELECT up_to FROM counted_tracks) BEGIN
  UPDATE genres SET track_count = track_count - 1 WHERE id = old.genre_id;
  UPDATE album_genres SET track_count = track_count - 1 WHERE genre_id = old.genre_id AND album_id = (SELECT album_id FROM tracks WHERE id = old.track_id);
  DELETE FROM album_genres WHERE genre_id = old.genre_id AND album_id = (SELECT album_id FROM tracks WHERE id = old.track_id) AND track_count <= 0;
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, 'track', old.track_id FROM change_counts WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER albums_insert_changes;
--> statement-breakpoint
CREATE TRIGGER albums_insert_changes AFTER INSERT ON albums BEGIN
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, 'album', new.id FROM change_counts WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER albums_delete_changes;
--> statement-breakpoint
CREATE TRIGGER albums_delete_changes AFTER DELETE ON albums BEGIN
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, 'album', old.id FROM change_counts WHERE topic = 'library';
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, 'artist', old.artist_id FROM change_counts WHERE topic = 'library' AND old.artist_id IS NOT NULL;
END;
--> statement-breakpoint
DROP TRIGGER albums_update_changes;
--> statement-breakpoint
CREATE TRIGGER albums_update_changes AFTER UPDATE OF title_sort, artist_id, artist_sort, year, created_at ON albums BEGIN
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, 'album', new.id FROM change_counts WHERE topic = 'library';
END;
--> statement-breakpoint
CREATE TRIGGER albums_move_changes AFTER UPDATE OF artist_id ON albums WHEN old.artist_id IS NOT NULL AND old.artist_id IS NOT new.artist_id BEGIN
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, 'artist', old.artist_id FROM change_counts WHERE topic = 'library';
END;
--> statement-breakpoint
CREATE TRIGGER albums_name_changes AFTER UPDATE OF title, title_sort, artist_id, artist_sort ON albums
WHEN old.title <> new.title OR old.title_sort <> new.title_sort OR old.artist_id IS NOT new.artist_id OR old.artist_sort IS NOT new.artist_sort BEGIN
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, 'album_name', new.id FROM change_counts WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER artists_insert_changes;
--> statement-breakpoint
CREATE TRIGGER artists_insert_changes AFTER INSERT ON artists BEGIN
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, 'artist', new.id FROM change_counts WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER artists_delete_changes;
--> statement-breakpoint
CREATE TRIGGER artists_delete_changes AFTER DELETE ON artists BEGIN
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, 'artist', old.id FROM change_counts WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER artists_update_changes;
--> statement-breakpoint
CREATE TRIGGER artists_update_changes AFTER UPDATE OF sort_key, first_year, created_at ON artists BEGIN
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, 'artist', new.id FROM change_counts WHERE topic = 'library';
END;
--> statement-breakpoint
CREATE TRIGGER artists_name_changes AFTER UPDATE OF name, sort_name, sort_key ON artists
WHEN old.name <> new.name OR old.sort_name <> new.sort_name OR old.sort_key <> new.sort_key BEGIN
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, 'artist_name', new.id FROM change_counts WHERE topic = 'library';
END;
--> statement-breakpoint
DROP TRIGGER like_states_insert_changes;
--> statement-breakpoint
CREATE TRIGGER like_states_insert_changes AFTER INSERT ON like_states BEGIN
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, new.item_type, new.item_id FROM change_counts WHERE topic = 'likes';
END;
--> statement-breakpoint
DROP TRIGGER like_states_delete_changes;
--> statement-breakpoint
CREATE TRIGGER like_states_delete_changes AFTER DELETE ON like_states BEGIN
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, old.item_type, old.item_id FROM change_counts WHERE topic = 'likes';
END;
--> statement-breakpoint
DROP TRIGGER like_states_update_changes;
--> statement-breakpoint
CREATE TRIGGER like_states_update_changes AFTER UPDATE OF liked ON like_states WHEN old.liked <> new.liked BEGIN
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, new.item_type, new.item_id FROM change_counts WHERE topic = 'likes';
END;
--> statement-breakpoint
DROP TRIGGER play_counts_insert_changes;
--> statement-breakpoint
CREATE TRIGGER play_counts_insert_changes AFTER INSERT ON play_counts BEGIN
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, new.item_type, new.item_id FROM change_counts WHERE topic = 'plays';
END;
--> statement-breakpoint
DROP TRIGGER play_counts_delete_changes;
--> statement-breakpoint
CREATE TRIGGER play_counts_delete_changes AFTER DELETE ON play_counts BEGIN
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, old.item_type, old.item_id FROM change_counts WHERE topic = 'plays';
END;
--> statement-breakpoint
DROP TRIGGER play_counts_update_changes;
--> statement-breakpoint
CREATE TRIGGER play_counts_update_changes AFTER UPDATE ON play_counts BEGIN
  INSERT INTO changed_items (topic, change, kind, item_id)
    SELECT topic, changes + 1, new.item_type, new.item_id FROM change_counts WHERE topic = 'plays';
END;
