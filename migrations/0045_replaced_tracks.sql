CREATE TABLE `replaced_tracks` (
	`track_id` integer PRIMARY KEY NOT NULL,
	`by_id` integer NOT NULL,
	`replaced_at` integer NOT NULL,
	`carried` text NOT NULL,
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`by_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `replaced_tracks_by_id` ON `replaced_tracks` (`by_id`);--> statement-breakpoint
CREATE INDEX `replaced_tracks_replaced_at` ON `replaced_tracks` (`replaced_at`);