CREATE TABLE `app_passwords` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`sealed` blob NOT NULL,
	`salt` blob NOT NULL,
	`lookup` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`address` text,
	`client` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `app_passwords_user_id_name_unique` ON `app_passwords` (`user_id`,`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `app_passwords_lookup_unique` ON `app_passwords` (`lookup`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`address` text,
	`client` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sessions_user_id` ON `sessions` (`user_id`,`last_used_at`);--> statement-breakpoint
CREATE TABLE `track_edits` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`track_id` integer NOT NULL,
	`user_id` integer,
	`batch` text,
	`changes` text NOT NULL,
	`before` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `track_edits_track_id` ON `track_edits` (`track_id`,`id`);--> statement-breakpoint
CREATE INDEX `track_edits_batch` ON `track_edits` (`batch`,`id`) WHERE batch IS NOT NULL;--> statement-breakpoint
CREATE INDEX `track_edits_created_at` ON `track_edits` (`created_at`);--> statement-breakpoint
CREATE INDEX `track_edits_user_id` ON `track_edits` (`user_id`);--> statement-breakpoint
INSERT INTO `app_passwords` (`user_id`, `name`, `sealed`, `salt`, `lookup`, `created_at`)
SELECT `id`, 'default', `app_password`, `app_password_salt`, `app_password_lookup`, `created_at` FROM `users`
WHERE `app_password` IS NOT NULL AND `app_password_salt` IS NOT NULL AND `app_password_lookup` IS NOT NULL;--> statement-breakpoint
DROP INDEX `users_app_password_lookup_unique`;--> statement-breakpoint
ALTER TABLE `users` DROP COLUMN `app_password`;--> statement-breakpoint
ALTER TABLE `users` DROP COLUMN `app_password_salt`;--> statement-breakpoint
ALTER TABLE `users` DROP COLUMN `app_password_lookup`;