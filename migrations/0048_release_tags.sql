DELETE FROM `tags_again`;--> statement-breakpoint
INSERT INTO `tags_again` (`last_id`, `up_to_id`) SELECT 0, `newest` FROM (SELECT max(`id`) AS `newest` FROM `tracks`) WHERE `newest` IS NOT NULL;
