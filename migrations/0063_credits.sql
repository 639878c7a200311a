CREATE TABLE `credits_fill` (
	`last_id` integer PRIMARY KEY NOT NULL,
	`up_to_id` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `people` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`name_sort` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `people_name_key_unique` ON `people` (`name_key`);--> statement-breakpoint
CREATE INDEX `people_name_sort` ON `people` (`name_sort`,`id`);--> statement-breakpoint
CREATE TABLE `track_credits` (
	`track_id` integer NOT NULL,
	`position` integer NOT NULL,
	`role` text NOT NULL,
	`person_id` integer NOT NULL,
	`instrument` text,
	PRIMARY KEY(`track_id`, `position`),
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`person_id`) REFERENCES `people`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `track_credits_person` ON `track_credits` (`role`,`person_id`,`track_id`);--> statement-breakpoint
CREATE INDEX `more_tags_mood` ON `more_tags` (`track_id`) WHERE json_valid(tags) AND tags ->> '$.mood' IS NOT NULL;--> statement-breakpoint
INSERT INTO `credits_fill` (`last_id`, `up_to_id`) SELECT 0, `newest` FROM (SELECT max(`id`) AS `newest` FROM `tracks`) WHERE `newest` IS NOT NULL;
