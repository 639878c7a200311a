-- Search: words of one and two characters have an index of their own (search_grams: every character and every two neighbours as a token),
-- longer ones the trigrams. rowid = kind * 2^40 + id (0 artist, 1 album, 2 track), so that a kind is a range of both.
-- Written by library/search-index.ts in the transaction that writes the row; text of rows from before is made again by search-rebuild.ts.
DROP TABLE search_trigrams;
--> statement-breakpoint
CREATE VIRTUAL TABLE search_trigrams USING fts5(text, content='', contentless_delete=1, tokenize='trigram case_sensitive 1');
--> statement-breakpoint
CREATE VIRTUAL TABLE search_grams USING fts5(grams, content='', contentless_delete=1, detail='none', tokenize='ascii');
--> statement-breakpoint
CREATE TABLE `search_rebuild` (
	`kind` text PRIMARY KEY NOT NULL,
	`last_id` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO search_rebuild (kind, last_id) SELECT 'artist', 0 WHERE EXISTS (SELECT 1 FROM artists)
  UNION ALL SELECT 'album', 0 WHERE EXISTS (SELECT 1 FROM albums) UNION ALL SELECT 'track', 0 WHERE EXISTS (SELECT 1 FROM tracks);
--> statement-breakpoint
CREATE TABLE `change_counts` (
	`topic` text PRIMARY KEY NOT NULL,
	`changes` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO change_counts (topic, changes) VALUES ('library', 0), ('likes', 0), ('plays', 0);
--> statement-breakpoint
CREATE TABLE `album_genres` (
	`genre_id` integer NOT NULL,
	`album_id` integer NOT NULL,
	`track_count` integer NOT NULL,
	PRIMARY KEY(`genre_id`, `album_id`),
	FOREIGN KEY (`genre_id`) REFERENCES `genres`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`album_id`) REFERENCES `albums`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `album_genres_album_id` ON `album_genres` (`album_id`);
--> statement-breakpoint
ALTER TABLE `artists` ADD `first_year` integer;
--> statement-breakpoint
ALTER TABLE `source_files` ADD `lyrics_mark` text;
--> statement-breakpoint
CREATE INDEX `artists_first_year` ON `artists` (`first_year`,`sort_key`,`id`);
--> statement-breakpoint
CREATE INDEX `tracks_facets` ON `tracks` (`format`,`source`,`availability`,`metadata_status`,`year`);
--> statement-breakpoint
INSERT INTO album_genres (genre_id, album_id, track_count)
  SELECT tg.genre_id, t.album_id, count(*) FROM track_genres tg JOIN tracks t ON t.id = tg.track_id WHERE t.album_id IS NOT NULL GROUP BY tg.genre_id, t.album_id;
--> statement-breakpoint
UPDATE artists SET first_year = (SELECT min(year) FROM albums WHERE artist_id = artists.id);
--> statement-breakpoint
-- Genres of albums. A track that goes takes its genres along only after its row, so its album's are counted down before.
CREATE TRIGGER track_genres_insert_album AFTER INSERT ON track_genres BEGIN
  INSERT INTO album_genres (genre_id, album_id, track_count) SELECT new.genre_id, album_id, 1 FROM tracks WHERE id = new.track_id AND album_id IS NOT NULL
    ON CONFLICT (genre_id, album_id) DO UPDATE SET track_count = track_count + 1;
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library';
END;
--> statement-breakpoint
CREATE TRIGGER track_genres_delete_album AFTER DELETE ON track_genres BEGIN
  UPDATE album_genres SET track_count = track_count - 1 WHERE genre_id = old.genre_id AND album_id = (SELECT album_id FROM tracks WHERE id = old.track_id);
  DELETE FROM album_genres WHERE genre_id = old.genre_id AND album_id = (SELECT album_id FROM tracks WHERE id = old.track_id) AND track_count <= 0;
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library';
END;
--> statement-breakpoint
CREATE TRIGGER tracks_delete_genres BEFORE DELETE ON tracks WHEN old.album_id IS NOT NULL BEGIN
  UPDATE album_genres SET track_count = track_count - 1 WHERE album_id = old.album_id AND genre_id IN (SELECT genre_id FROM track_genres WHERE track_id = old.id);
  DELETE FROM album_genres WHERE album_id = old.album_id AND track_count <= 0;
END;
--> statement-breakpoint
CREATE TRIGGER tracks_update_genres AFTER UPDATE OF album_id ON tracks WHEN old.album_id IS NOT new.album_id BEGIN
  UPDATE album_genres SET track_count = track_count - 1 WHERE album_id = old.album_id AND genre_id IN (SELECT genre_id FROM track_genres WHERE track_id = old.id);
  DELETE FROM album_genres WHERE album_id = old.album_id AND track_count <= 0;
  INSERT INTO album_genres (genre_id, album_id, track_count) SELECT genre_id, new.album_id, 1 FROM track_genres WHERE track_id = new.id AND new.album_id IS NOT NULL
    ON CONFLICT (genre_id, album_id) DO UPDATE SET track_count = track_count + 1;
END;
--> statement-breakpoint
-- The year of an artist's first album.
CREATE TRIGGER albums_insert_year AFTER INSERT ON albums WHEN new.artist_id IS NOT NULL AND new.year IS NOT NULL BEGIN
  UPDATE artists SET first_year = new.year WHERE id = new.artist_id AND (first_year IS NULL OR first_year > new.year);
END;
--> statement-breakpoint
CREATE TRIGGER albums_delete_year AFTER DELETE ON albums WHEN old.year IS NOT NULL BEGIN
  UPDATE artists SET first_year = (SELECT min(year) FROM albums WHERE artist_id = artists.id) WHERE id = old.artist_id AND first_year = old.year;
END;
--> statement-breakpoint
CREATE TRIGGER albums_update_year AFTER UPDATE OF artist_id, year ON albums WHEN old.artist_id IS NOT new.artist_id OR old.year IS NOT new.year BEGIN
  UPDATE artists SET first_year = (SELECT min(year) FROM albums WHERE artist_id = artists.id) WHERE id IN (old.artist_id, new.artist_id);
END;
--> statement-breakpoint
-- What lists and their totals depend on.
CREATE TRIGGER tracks_insert_changes AFTER INSERT ON tracks BEGIN UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library'; END;
--> statement-breakpoint
CREATE TRIGGER tracks_delete_changes AFTER DELETE ON tracks BEGIN UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library'; END;
--> statement-breakpoint
CREATE TRIGGER tracks_update_changes AFTER UPDATE ON tracks BEGIN UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library'; END;
--> statement-breakpoint
CREATE TRIGGER track_artists_insert_changes AFTER INSERT ON track_artists BEGIN UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library'; END;
--> statement-breakpoint
CREATE TRIGGER track_artists_delete_changes AFTER DELETE ON track_artists BEGIN UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library'; END;
--> statement-breakpoint
CREATE TRIGGER albums_insert_changes AFTER INSERT ON albums BEGIN UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library'; END;
--> statement-breakpoint
CREATE TRIGGER albums_delete_changes AFTER DELETE ON albums BEGIN UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library'; END;
--> statement-breakpoint
CREATE TRIGGER albums_update_changes AFTER UPDATE OF title_sort, artist_id, artist_sort, year ON albums BEGIN UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library'; END;
--> statement-breakpoint
CREATE TRIGGER artists_insert_changes AFTER INSERT ON artists BEGIN UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library'; END;
--> statement-breakpoint
CREATE TRIGGER artists_delete_changes AFTER DELETE ON artists BEGIN UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library'; END;
--> statement-breakpoint
CREATE TRIGGER artists_update_changes AFTER UPDATE OF sort_key, first_year ON artists BEGIN UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library'; END;
--> statement-breakpoint
CREATE TRIGGER like_states_insert_changes AFTER INSERT ON like_states BEGIN UPDATE change_counts SET changes = changes + 1 WHERE topic = 'likes'; END;
--> statement-breakpoint
CREATE TRIGGER like_states_delete_changes AFTER DELETE ON like_states BEGIN UPDATE change_counts SET changes = changes + 1 WHERE topic = 'likes'; END;
--> statement-breakpoint
CREATE TRIGGER like_states_update_changes AFTER UPDATE OF liked ON like_states WHEN old.liked <> new.liked BEGIN UPDATE change_counts SET changes = changes + 1 WHERE topic = 'likes'; END;
--> statement-breakpoint
CREATE TRIGGER play_counts_insert_changes AFTER INSERT ON play_counts BEGIN UPDATE change_counts SET changes = changes + 1 WHERE topic = 'plays'; END;
--> statement-breakpoint
CREATE TRIGGER play_counts_delete_changes AFTER DELETE ON play_counts BEGIN UPDATE change_counts SET changes = changes + 1 WHERE topic = 'plays'; END;
--> statement-breakpoint
CREATE TRIGGER play_counts_update_changes AFTER UPDATE ON play_counts BEGIN UPDATE change_counts SET changes = changes + 1 WHERE topic = 'plays'; END;
