CREATE TABLE `chapters` (
	`track_id` integer PRIMARY KEY NOT NULL,
	`list` text NOT NULL,
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `source_files` ADD `sheets_mark` text;--> statement-breakpoint
ALTER TABLE `tracks` ADD `section_start` integer;--> statement-breakpoint
ALTER TABLE `tracks` ADD `section_end` integer;--> statement-breakpoint
ALTER TABLE `trashed_tracks` ADD `is_hidden` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `trashed_tracks` ADD `audio_hash` text;--> statement-breakpoint
CREATE INDEX `trashed_tracks_hidden` ON `trashed_tracks` (`audio_hash`) WHERE is_hidden = 1;--> statement-breakpoint
DROP VIEW `stored_audio`;--> statement-breakpoint
CREATE VIEW `stored_audio` AS SELECT id, storage_uri, content_hash, iif(section_start IS NULL, size_bytes, NULL) AS size_bytes FROM `tracks` UNION ALL SELECT id, storage_uri, content_hash, iif(snapshot ->> '$.track.section_start' IS NULL, size_bytes, NULL) FROM `trashed_tracks`;
