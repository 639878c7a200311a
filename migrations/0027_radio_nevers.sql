CREATE TABLE `radio_nevers` (
	`user_id` integer NOT NULL,
	`track_id` integer,
	`artist_id` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`artist_id`) REFERENCES `artists`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `radio_nevers_track` ON `radio_nevers` (`track_id`,`user_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `radio_nevers_artist` ON `radio_nevers` (`artist_id`,`user_id`);