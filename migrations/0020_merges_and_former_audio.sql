CREATE TABLE `former_audio` (
	`track_id` integer PRIMARY KEY NOT NULL,
	`audio_hash` text NOT NULL,
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `former_audio_audio_hash` ON `former_audio` (`audio_hash`);--> statement-breakpoint
ALTER TABLE `trashed_tracks` ADD `merged_into` integer;--> statement-breakpoint
ALTER TABLE `trashed_tracks` ADD `merge_reason` text;