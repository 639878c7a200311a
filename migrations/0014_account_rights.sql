CREATE TABLE `notices` (
	`name` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `tracks` ADD `uploaded_by` integer REFERENCES users(id) ON DELETE set null;--> statement-breakpoint
CREATE INDEX `tracks_uploaded_by` ON `tracks` (`uploaded_by`,`size_bytes`) WHERE uploaded_by IS NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `can_edit` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `can_upload` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `can_download` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `can_share` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `can_jukebox` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `max_bitrate_kbps` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `quota_bytes` integer;--> statement-breakpoint
INSERT INTO `notices` (`name`, `created_at`) SELECT 'rights', CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE EXISTS (SELECT 1 FROM `users` WHERE `is_superuser` = 0);
