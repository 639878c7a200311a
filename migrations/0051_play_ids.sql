ALTER TABLE `plays` ADD `rest_time` text;--> statement-breakpoint
ALTER TABLE `plays` ADD `play_id` text;--> statement-breakpoint
CREATE UNIQUE INDEX `plays_play_id` ON `plays` (`user_id`,`play_id`) WHERE play_id IS NOT NULL;