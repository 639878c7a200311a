CREATE TABLE `cover_lookups` (
	`album_id` integer PRIMARY KEY NOT NULL,
	`release_group_mbid` text NOT NULL,
	`result` text NOT NULL,
	`reason` text,
	`tries` integer NOT NULL,
	`retry_at` integer NOT NULL,
	FOREIGN KEY (`album_id`) REFERENCES `albums`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `cover_lookups_retry_at` ON `cover_lookups` (`retry_at`);--> statement-breakpoint
CREATE TABLE `orphaned_covers` (
	`key` text PRIMARY KEY NOT NULL,
	`album_id` integer NOT NULL
);
--> statement-breakpoint
-- A picture whose row went, or that another one took the place of, is noted here until it is deleted from the storage.
CREATE TRIGGER album_covers_delete AFTER DELETE ON album_covers WHEN old.key IS NOT NULL BEGIN
  INSERT OR IGNORE INTO orphaned_covers (key, album_id) VALUES (old.key, old.album_id);
END;
--> statement-breakpoint
CREATE TRIGGER album_covers_replace AFTER UPDATE OF key ON album_covers WHEN old.key IS NOT NULL AND old.key IS NOT new.key BEGIN
  INSERT OR IGNORE INTO orphaned_covers (key, album_id) VALUES (old.key, old.album_id);
END;
