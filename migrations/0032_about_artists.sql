CREATE TABLE `about_subjects` (
	`kind` text NOT NULL,
	`mbid` text NOT NULL,
	`facts` text,
	`failures` integer NOT NULL,
	`asked_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	PRIMARY KEY(`kind`, `mbid`)
);
--> statement-breakpoint
CREATE TABLE `artist_identities` (
	`artist_key` text PRIMARY KEY NOT NULL,
	`mbid` text,
	`is_manual` integer NOT NULL,
	`failures` integer NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `artist_pictures` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`artist_key` text NOT NULL,
	`is_current` integer NOT NULL,
	`key` text,
	`etag` text,
	`origin` text,
	`source` text,
	`credit` text,
	`set_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `artist_pictures_artist_key` ON `artist_pictures` (`artist_key`,`is_current`);--> statement-breakpoint
CREATE INDEX `artist_pictures_key` ON `artist_pictures` (`key`) WHERE key IS NOT NULL;--> statement-breakpoint
ALTER TABLE `source_folders` ADD `artist_image` text;--> statement-breakpoint
-- A picture whose row went is noted until it is deleted from the storage; those of artists are of album 0.
CREATE TRIGGER artist_pictures_delete AFTER DELETE ON artist_pictures WHEN old.key IS NOT NULL BEGIN
  INSERT OR IGNORE INTO orphaned_covers (key, album_id) VALUES (old.key, 0);
END;
