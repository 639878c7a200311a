CREATE TABLE `annotation_moves` (
	`item_type` text NOT NULL,
	`from_id` integer NOT NULL,
	`to_id` integer NOT NULL,
	`memory` text NOT NULL,
	`moved_at` integer NOT NULL,
	PRIMARY KEY(`item_type`, `from_id`)
);
--> statement-breakpoint
CREATE INDEX `annotation_moves_moved_at` ON `annotation_moves` (`moved_at`);--> statement-breakpoint
CREATE TABLE `track_departures` (
	`item_type` text NOT NULL,
	`from_id` integer NOT NULL,
	`track_id` integer NOT NULL,
	`to_id` integer NOT NULL,
	`left_at` integer NOT NULL,
	PRIMARY KEY(`item_type`, `from_id`, `track_id`),
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `track_departures_track_id` ON `track_departures` (`track_id`);--> statement-breakpoint
CREATE INDEX `track_departures_left_at` ON `track_departures` (`left_at`);--> statement-breakpoint
ALTER TABLE `former_covers` ADD `successor_id` integer;--> statement-breakpoint
CREATE INDEX `former_covers_successor_id` ON `former_covers` (`successor_id`) WHERE successor_id IS NOT NULL;