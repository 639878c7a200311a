CREATE TABLE `former_covers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`album_id` integer NOT NULL,
	`title_sort` text NOT NULL,
	`artist_key` text,
	`year` integer,
	`key` text,
	`etag` text,
	`removed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `former_covers_title_sort` ON `former_covers` (`title_sort`);--> statement-breakpoint
CREATE INDEX `former_covers_key` ON `former_covers` (`key`) WHERE key IS NOT NULL;--> statement-breakpoint
CREATE INDEX `former_covers_removed_at` ON `former_covers` (`removed_at`);--> statement-breakpoint
ALTER TABLE `track_edits` ADD `kind` text DEFAULT 'edit' NOT NULL;--> statement-breakpoint
CREATE INDEX `playlist_past_entries_position` ON `playlist_past_entries` (`playlist_id`,`position`);--> statement-breakpoint
CREATE INDEX `trashed_tracks_merged_into` ON `trashed_tracks` (`merged_into`) WHERE merged_into IS NOT NULL;
--> statement-breakpoint
-- What a person chose for an album that is deleted with its last track.
CREATE TRIGGER albums_keep_cover BEFORE DELETE ON albums BEGIN
  INSERT INTO former_covers (album_id, title_sort, artist_key, year, key, etag, removed_at)
    SELECT old.id, old.title_sort, (SELECT name_key FROM artists WHERE id = old.artist_id), old.year, key, etag,
      CAST(unixepoch('subsec') * 1000 AS INTEGER)
    FROM album_covers WHERE album_id = old.id AND origin = 'manual';
END;
