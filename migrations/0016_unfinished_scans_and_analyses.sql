CREATE TABLE `track_analyses` (
	`track_id` integer NOT NULL,
	`step` text NOT NULL,
	`version` integer NOT NULL,
	`audio_hash` text NOT NULL,
	`outcome` text NOT NULL,
	`reason` text,
	PRIMARY KEY(`track_id`, `step`),
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `unfinished_scans` (
	`source` text PRIMARY KEY NOT NULL,
	`after_id` integer NOT NULL
);
