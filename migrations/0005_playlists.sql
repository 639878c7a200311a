ALTER TABLE `playlists` ADD `track_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `playlists` ADD `duration_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `playlists` ADD `deleted_at` integer;--> statement-breakpoint
CREATE INDEX `playlists_public` ON `playlists` (`id`) WHERE is_public = 1;--> statement-breakpoint
ALTER TABLE `playlist_entries` ADD `since_version` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
-- Until now nothing wrote versions.
DROP TABLE `playlist_versions`;--> statement-breakpoint
CREATE TABLE `playlist_versions` (
	`playlist_id` integer NOT NULL,
	`version` integer NOT NULL,
	`change` text NOT NULL,
	`added` integer NOT NULL,
	`removed` integer NOT NULL,
	`moved` integer NOT NULL,
	`track_count` integer NOT NULL,
	`rules` text,
	`user_id` integer,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`playlist_id`, `version`),
	FOREIGN KEY (`playlist_id`) REFERENCES `playlists`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `playlist_past_entries` (
	`playlist_id` integer NOT NULL,
	`until_version` integer NOT NULL,
	`entry_id` integer NOT NULL,
	`since_version` integer NOT NULL,
	`position` integer NOT NULL,
	`track_id` integer NOT NULL,
	`added_at` integer NOT NULL,
	PRIMARY KEY(`playlist_id`, `until_version`, `entry_id`),
	FOREIGN KEY (`playlist_id`) REFERENCES `playlists`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `playlist_past_entries_track_id` ON `playlist_past_entries` (`track_id`);--> statement-breakpoint
CREATE TABLE `playlist_lost_tracks` (
	`track_id` integer PRIMARY KEY NOT NULL,
	`title` text NOT NULL,
	`artist_name` text,
	`album_title` text,
	`duration_ms` integer,
	`recording_mbid` text,
	`source` text NOT NULL,
	`source_id` text NOT NULL
);
--> statement-breakpoint
-- How many tracks a list has and how long they last, kept by triggers so that no writer can forget them.
UPDATE playlists SET
  track_count = (SELECT count(*) FROM playlist_entries e WHERE e.playlist_id = playlists.id),
  duration_ms = (SELECT coalesce(sum(t.duration_ms), 0) FROM playlist_entries e JOIN tracks t ON t.id = e.track_id WHERE e.playlist_id = playlists.id);
--> statement-breakpoint
CREATE TRIGGER playlist_entries_insert AFTER INSERT ON playlist_entries BEGIN
  UPDATE playlists SET track_count = track_count + 1, duration_ms = duration_ms + coalesce((SELECT duration_ms FROM tracks WHERE id = new.track_id), 0)
    WHERE id = new.playlist_id;
END;
--> statement-breakpoint
CREATE TRIGGER playlist_entries_delete AFTER DELETE ON playlist_entries BEGIN
  UPDATE playlists SET track_count = track_count - 1, duration_ms = duration_ms - coalesce((SELECT duration_ms FROM tracks WHERE id = old.track_id), 0)
    WHERE id = old.playlist_id;
END;
--> statement-breakpoint
CREATE TRIGGER playlist_entries_update_track AFTER UPDATE OF track_id ON playlist_entries WHEN old.track_id <> new.track_id BEGIN
  UPDATE playlists SET duration_ms = duration_ms - coalesce((SELECT duration_ms FROM tracks WHERE id = old.track_id), 0)
    + coalesce((SELECT duration_ms FROM tracks WHERE id = new.track_id), 0) WHERE id = new.playlist_id;
END;
--> statement-breakpoint
CREATE TRIGGER tracks_update_playlists AFTER UPDATE OF duration_ms ON tracks
WHEN old.duration_ms IS NOT new.duration_ms AND EXISTS (SELECT 1 FROM playlist_entries WHERE track_id = new.id) BEGIN
  UPDATE playlists SET duration_ms = duration_ms + (coalesce(new.duration_ms, 0) - coalesce(old.duration_ms, 0))
    * (SELECT count(*) FROM playlist_entries e WHERE e.track_id = new.id AND e.playlist_id = playlists.id)
    WHERE id IN (SELECT playlist_id FROM playlist_entries WHERE track_id = new.id);
END;
--> statement-breakpoint
-- A track that leaves the library leaves every list in a version of its own, and what it was is kept for those who look back.
CREATE TRIGGER tracks_delete_playlists BEFORE DELETE ON tracks
WHEN EXISTS (SELECT 1 FROM playlist_entries WHERE track_id = old.id) OR EXISTS (SELECT 1 FROM playlist_past_entries WHERE track_id = old.id) BEGIN
  INSERT OR REPLACE INTO playlist_lost_tracks (track_id, title, artist_name, album_title, duration_ms, recording_mbid, source, source_id)
    VALUES (old.id, old.title, old.artist_name, (SELECT title FROM albums WHERE id = old.album_id), old.duration_ms, old.recording_mbid, old.source, old.source_id);
  UPDATE playlists SET version = version + 1, updated_at = CAST(unixepoch('subsec') * 1000 AS INTEGER)
    WHERE id IN (SELECT playlist_id FROM playlist_entries WHERE track_id = old.id);
  INSERT INTO playlist_versions (playlist_id, version, change, added, removed, moved, track_count, rules, user_id, created_at)
    SELECT p.id, p.version, 'track_deleted', 0, count(*), 0, p.track_count - count(*), NULL, NULL, p.updated_at
    FROM playlist_entries e JOIN playlists p ON p.id = e.playlist_id WHERE e.track_id = old.id GROUP BY p.id;
  INSERT INTO playlist_past_entries (playlist_id, until_version, entry_id, since_version, position, track_id, added_at)
    SELECT e.playlist_id, p.version, e.id, e.since_version, e.position, e.track_id, e.added_at
    FROM playlist_entries e JOIN playlists p ON p.id = e.playlist_id WHERE e.track_id = old.id;
  DELETE FROM playlist_entries WHERE track_id = old.id;
END;
