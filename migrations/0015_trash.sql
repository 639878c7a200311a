CREATE TABLE `trashed_tracks` (
	`id` integer PRIMARY KEY NOT NULL,
	`title` text NOT NULL,
	`artist_name` text,
	`album_title` text,
	`source` text NOT NULL,
	`source_id` text NOT NULL,
	`storage_uri` text,
	`content_hash` text,
	`size_bytes` integer,
	`cover_key` text,
	`uploaded_by` integer,
	`deleted_by` integer,
	`deleted_at` integer NOT NULL,
	`snapshot` text NOT NULL,
	FOREIGN KEY (`uploaded_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`deleted_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `trashed_tracks_deleted_at` ON `trashed_tracks` (`deleted_at`,`id`);--> statement-breakpoint
CREATE INDEX `trashed_tracks_source_source_id` ON `trashed_tracks` (`source`,`source_id`);--> statement-breakpoint
CREATE INDEX `trashed_tracks_content_hash` ON `trashed_tracks` (`content_hash`);--> statement-breakpoint
CREATE INDEX `trashed_tracks_uploaded_by` ON `trashed_tracks` (`uploaded_by`);--> statement-breakpoint
CREATE INDEX `trashed_tracks_deleted_by` ON `trashed_tracks` (`deleted_by`);--> statement-breakpoint
CREATE INDEX `trashed_tracks_cover_key` ON `trashed_tracks` (`cover_key`) WHERE cover_key IS NOT NULL;--> statement-breakpoint
CREATE VIEW `stored_audio` AS SELECT id, storage_uri, content_hash, size_bytes FROM `tracks` UNION ALL SELECT id, storage_uri, content_hash, size_bytes FROM `trashed_tracks`;
