CREATE TABLE `radio_stations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`stream_url` text NOT NULL,
	`home_page_url` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `shares` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`token` text NOT NULL,
	`user_id` integer NOT NULL,
	`description` text,
	`expires_at` integer,
	`last_visited_at` integer,
	`visit_count` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `shares_token_unique` ON `shares` (`token`);--> statement-breakpoint
CREATE INDEX `shares_user_id` ON `shares` (`user_id`,`id`);--> statement-breakpoint
CREATE TABLE `share_tracks` (
	`share_id` integer NOT NULL,
	`position` integer NOT NULL,
	`track_id` integer NOT NULL,
	PRIMARY KEY(`share_id`, `position`),
	FOREIGN KEY (`share_id`) REFERENCES `shares`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `share_tracks_track_id` ON `share_tracks` (`track_id`);
