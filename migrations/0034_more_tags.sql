CREATE TABLE `more_tags` (
	`track_id` integer PRIMARY KEY NOT NULL,
	`tags` text NOT NULL,
	`is_explicit` integer,
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `more_tags_is_explicit` ON `more_tags` (`track_id`,`is_explicit`) WHERE is_explicit IS NOT NULL;--> statement-breakpoint
DELETE FROM `tags_again`;--> statement-breakpoint
INSERT INTO `tags_again` (`last_id`, `up_to_id`) SELECT 0, `newest` FROM (SELECT max(`id`) AS `newest` FROM `tracks`) WHERE `newest` IS NOT NULL;
