ALTER TABLE `music_folders` ADD `follows_links` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `source_folders` ADD `link_target` text;--> statement-breakpoint
CREATE INDEX `source_folders_link_target` ON `source_folders` (`source`,`link_target`) WHERE link_target IS NOT NULL;
