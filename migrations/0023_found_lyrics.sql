CREATE TABLE `found_lyrics` (
	`track_id` integer PRIMARY KEY NOT NULL,
	`is_manual` integer NOT NULL,
	`lrclib_id` integer,
	`is_instrumental` integer DEFAULT false NOT NULL,
	`synced` integer NOT NULL,
	`lines` text NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `lyrics_lookups` (
	`track_id` integer PRIMARY KEY NOT NULL,
	`asked_at` integer NOT NULL,
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade
);
