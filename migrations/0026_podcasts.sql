CREATE TABLE `podcast_episodes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`podcast_id` integer NOT NULL,
	`guid` text NOT NULL,
	`title` text NOT NULL,
	`description` text,
	`published_at` integer NOT NULL,
	`audio_url` text NOT NULL,
	`duration_ms` integer,
	`size_bytes` integer,
	`status` text NOT NULL,
	`error` text,
	`format` text,
	`validator` text,
	`downloaded_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `podcast_episodes_guid_unique` ON `podcast_episodes` (`podcast_id`,`guid`);--> statement-breakpoint
CREATE INDEX `podcast_episodes_published` ON `podcast_episodes` (`podcast_id`,`published_at`,`id`);--> statement-breakpoint
CREATE INDEX `podcast_episodes_newest` ON `podcast_episodes` (`published_at`,`id`);--> statement-breakpoint
CREATE INDEX `podcast_episodes_status` ON `podcast_episodes` (`status`,`downloaded_at`);--> statement-breakpoint
CREATE TABLE `podcast_positions` (
	`user_id` integer NOT NULL,
	`episode_id` integer NOT NULL,
	`position_ms` integer NOT NULL,
	`comment` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `episode_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`episode_id`) REFERENCES `podcast_episodes`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `podcast_positions_episode_id` ON `podcast_positions` (`episode_id`);--> statement-breakpoint
CREATE INDEX `podcast_positions_updated` ON `podcast_positions` (`user_id`,`updated_at`,`episode_id`);--> statement-breakpoint
CREATE TABLE `podcasts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`url` text NOT NULL,
	`title` text NOT NULL,
	`description` text,
	`image_url` text,
	`status` text NOT NULL,
	`error` text,
	`etag` text,
	`last_modified` text,
	`checked_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `podcasts_url_unique` ON `podcasts` (`url`);