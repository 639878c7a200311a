CREATE TABLE `folder_likes` (
	`user_id` integer NOT NULL,
	`folder_id` integer NOT NULL,
	`liked_at` integer,
	`rating` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`user_id`, `folder_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `track_album_artists` (
	`track_id` integer NOT NULL,
	`position` integer NOT NULL,
	`artist_id` integer NOT NULL,
	PRIMARY KEY(`track_id`, `position`),
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`artist_id`) REFERENCES `artists`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `track_album_artists_artist_id` ON `track_album_artists` (`artist_id`,`track_id`);
--> statement-breakpoint
CREATE TABLE `album_artists` (
	`album_id` integer NOT NULL,
	`artist_id` integer NOT NULL,
	`position` integer NOT NULL,
	`track_count` integer NOT NULL,
	PRIMARY KEY(`album_id`, `artist_id`),
	FOREIGN KEY (`album_id`) REFERENCES `albums`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`artist_id`) REFERENCES `artists`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `album_artists_artist_id` ON `album_artists` (`artist_id`,`album_id`);
--> statement-breakpoint
-- The artists of an album, by the tags of its tracks.
CREATE TRIGGER track_album_artists_insert AFTER INSERT ON track_album_artists BEGIN
  INSERT INTO album_artists (album_id, artist_id, position, track_count)
    SELECT album_id, new.artist_id, new.position, 1 FROM tracks WHERE id = new.track_id AND album_id IS NOT NULL
    ON CONFLICT (album_id, artist_id) DO UPDATE SET track_count = track_count + 1;
END;
--> statement-breakpoint
CREATE TRIGGER track_album_artists_delete AFTER DELETE ON track_album_artists BEGIN
  UPDATE album_artists SET track_count = track_count - 1 WHERE album_id = (SELECT album_id FROM tracks WHERE id = old.track_id) AND artist_id = old.artist_id;
  DELETE FROM album_artists WHERE album_id = (SELECT album_id FROM tracks WHERE id = old.track_id) AND artist_id = old.artist_id AND track_count <= 0;
END;
--> statement-breakpoint
CREATE TRIGGER tracks_update_album_artists AFTER UPDATE OF album_id ON tracks
WHEN old.album_id IS NOT new.album_id AND EXISTS (SELECT 1 FROM track_album_artists WHERE track_id = new.id) BEGIN
  UPDATE album_artists SET track_count = track_count - 1 WHERE album_id = old.album_id AND artist_id IN (SELECT artist_id FROM track_album_artists WHERE track_id = new.id);
  DELETE FROM album_artists WHERE album_id = old.album_id AND track_count <= 0;
  INSERT INTO album_artists (album_id, artist_id, position, track_count)
    SELECT new.album_id, artist_id, position, 1 FROM track_album_artists WHERE track_id = new.id AND new.album_id IS NOT NULL
    ON CONFLICT (album_id, artist_id) DO UPDATE SET track_count = track_count + 1;
END;
--> statement-breakpoint
CREATE TRIGGER tracks_delete_album_artists BEFORE DELETE ON tracks BEGIN
  DELETE FROM track_album_artists WHERE track_id = old.id;
END;
--> statement-breakpoint
-- The counts of the artists. The first artist of an album (albums.artist_id) is counted by the triggers on albums.
CREATE TRIGGER album_artists_insert AFTER INSERT ON album_artists
WHEN new.artist_id IS NOT (SELECT artist_id FROM albums WHERE id = new.album_id) BEGIN
  UPDATE artists SET album_count = album_count + 1,
    first_year = (SELECT min(year) FROM (SELECT artists.first_year AS year UNION ALL SELECT year FROM albums WHERE id = new.album_id))
    WHERE id = new.artist_id;
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library';
END;
--> statement-breakpoint
CREATE TRIGGER album_artists_delete AFTER DELETE ON album_artists
WHEN old.artist_id IS NOT (SELECT artist_id FROM albums WHERE id = old.album_id) BEGIN
  UPDATE artists SET album_count = album_count - 1,
    first_year = (SELECT min(year) FROM (SELECT year FROM albums WHERE artist_id = old.artist_id
      UNION ALL SELECT a.year FROM album_artists o JOIN albums a ON a.id = o.album_id WHERE o.artist_id = old.artist_id))
    WHERE id = old.artist_id;
  UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library';
END;
--> statement-breakpoint
CREATE TRIGGER albums_update_artists AFTER UPDATE OF artist_id ON albums
WHEN old.artist_id IS NOT new.artist_id AND EXISTS (SELECT 1 FROM album_artists WHERE album_id = new.id) BEGIN
  UPDATE artists SET album_count = album_count - 1 WHERE id = new.artist_id AND EXISTS (SELECT 1 FROM album_artists WHERE album_id = new.id AND artist_id = new.artist_id);
  UPDATE artists SET album_count = album_count + 1 WHERE id = old.artist_id AND EXISTS (SELECT 1 FROM album_artists WHERE album_id = new.id AND artist_id = old.artist_id);
END;
--> statement-breakpoint
DROP TRIGGER albums_delete_year;
--> statement-breakpoint
CREATE TRIGGER albums_delete_year AFTER DELETE ON albums WHEN old.year IS NOT NULL BEGIN
  UPDATE artists SET first_year = (SELECT min(year) FROM (SELECT year FROM albums WHERE artist_id = artists.id
      UNION ALL SELECT a.year FROM album_artists o JOIN albums a ON a.id = o.album_id WHERE o.artist_id = artists.id))
    WHERE id = old.artist_id AND first_year = old.year;
END;
--> statement-breakpoint
DROP TRIGGER albums_update_year;
--> statement-breakpoint
CREATE TRIGGER albums_update_year AFTER UPDATE OF artist_id, year ON albums WHEN old.artist_id IS NOT new.artist_id OR old.year IS NOT new.year BEGIN
  UPDATE artists SET first_year = (SELECT min(year) FROM (SELECT year FROM albums WHERE artist_id = artists.id
      UNION ALL SELECT a.year FROM album_artists o JOIN albums a ON a.id = o.album_id WHERE o.artist_id = artists.id))
    WHERE id IN (SELECT old.artist_id UNION SELECT new.artist_id UNION SELECT artist_id FROM album_artists WHERE album_id = new.id);
END;
--> statement-breakpoint
ALTER TABLE `lyrics` ADD `language` text;
