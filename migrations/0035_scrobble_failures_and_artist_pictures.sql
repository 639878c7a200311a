DROP INDEX `scrobble_queue_user_id`;--> statement-breakpoint
ALTER TABLE `scrobble_queue` ADD `failures` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `scrobble_queue_user_id` ON `scrobble_queue` (`user_id`,`service`,`refusal`,`failures`,`play_id`);--> statement-breakpoint
ALTER TABLE `artist_identities` ADD `asked_album_id` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `verify_runs` ADD `after_picture_id` integer DEFAULT 0 NOT NULL;