CREATE TABLE `enrichment_matches` (
	`track_id` integer NOT NULL,
	`n` integer NOT NULL,
	`match` text NOT NULL,
	PRIMARY KEY(`track_id`, `n`),
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `enrichment_reviews` (
	`track_id` integer PRIMARY KEY NOT NULL,
	`reason` text NOT NULL,
	`match` text NOT NULL,
	`differences` text NOT NULL,
	`created_at` integer NOT NULL,
	`dismissed_at` integer,
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `enrichment_reviews_open` ON `enrichment_reviews` (`created_at`,`track_id`) WHERE dismissed_at IS NULL;--> statement-breakpoint
CREATE TABLE `enrichment_undo` (
	`track_id` integer PRIMARY KEY NOT NULL,
	`previous` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `enrichment_unanswered` (
	`track_id` integer PRIMARY KEY NOT NULL,
	`asked_at` integer NOT NULL,
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
-- What a person decided is no question any more.
CREATE TRIGGER tracks_edited_by_hand AFTER UPDATE OF metadata_status ON tracks WHEN new.metadata_status = 'manual' BEGIN
  DELETE FROM enrichment_reviews WHERE track_id = new.id;
  DELETE FROM enrichment_unanswered WHERE track_id = new.id;
END;
--> statement-breakpoint
-- Every writer of names writes this column too; going back to what was before would then take away what came after.
CREATE TRIGGER tracks_renamed AFTER UPDATE OF provenance ON tracks BEGIN
  DELETE FROM enrichment_undo WHERE track_id = new.id;
END;
