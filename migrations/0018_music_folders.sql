CREATE TABLE `music_folders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key` text NOT NULL,
	`name` text NOT NULL,
	`path` text,
	`mode` text,
	`created_at` integer NOT NULL,
	`removed_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `music_folders_key_unique` ON `music_folders` (`key`);--> statement-breakpoint
INSERT INTO `music_folders` (`id`, `key`, `name`, `created_at`) VALUES (1, '', 'Music', unixepoch() * 1000);
