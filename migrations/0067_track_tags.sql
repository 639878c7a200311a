CREATE TABLE `track_tags` (
	`track_id` integer NOT NULL,
	`position` integer NOT NULL,
	`tag` text NOT NULL,
	`value` text NOT NULL,
	`value_key` text NOT NULL,
	PRIMARY KEY(`track_id`, `position`),
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `track_tags_value` ON `track_tags` (`tag`,`value_key`,`track_id`);--> statement-breakpoint
-- The stored tags of all tracks are read again in the background, together with their credits.
DELETE FROM `credits_fill`;
--> statement-breakpoint
INSERT INTO `credits_fill` (`last_id`, `up_to_id`) SELECT 0, `newest` FROM (SELECT max(`id`) AS `newest` FROM `tracks`) WHERE `newest` IS NOT NULL;
