CREATE TABLE `tags_again` (
	`last_id` integer PRIMARY KEY NOT NULL,
	`up_to_id` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `tracks` ADD `original_year` integer;--> statement-breakpoint
ALTER TABLE `tracks` ADD `composer` text;--> statement-breakpoint
ALTER TABLE `tracks` ADD `composer_sort` text;--> statement-breakpoint
ALTER TABLE `tracks` ADD `label` text;--> statement-breakpoint
ALTER TABLE `tracks` ADD `label_sort` text;--> statement-breakpoint
ALTER TABLE `tracks` ADD `isrc` text;--> statement-breakpoint
ALTER TABLE `tracks` ADD `bpm` real;--> statement-breakpoint
ALTER TABLE `tracks` ADD `comment` text;--> statement-breakpoint
CREATE INDEX `tracks_original_year` ON `tracks` (`original_year`,`id`) WHERE original_year IS NOT NULL;--> statement-breakpoint
CREATE INDEX `tracks_composer` ON `tracks` (`composer_sort`,`id`) WHERE composer_sort IS NOT NULL;--> statement-breakpoint
CREATE INDEX `tracks_label` ON `tracks` (`label_sort`,`id`) WHERE label_sort IS NOT NULL;--> statement-breakpoint
CREATE INDEX `tracks_bpm` ON `tracks` (`bpm`,`id`) WHERE bpm IS NOT NULL;--> statement-breakpoint
CREATE INDEX `tracks_album_release` ON `tracks` (`album_id`,`label`,`original_year`) WHERE label IS NOT NULL OR original_year IS NOT NULL;--> statement-breakpoint
INSERT INTO `tags_again` (`last_id`, `up_to_id`) SELECT 0, `newest` FROM (SELECT max(`id`) AS `newest` FROM `tracks`) WHERE `newest` IS NOT NULL;
