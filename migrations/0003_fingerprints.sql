CREATE TABLE `duplicate_dismissals` (
	`track_id` integer NOT NULL,
	`other_id` integer NOT NULL,
	`user_id` integer,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`track_id`, `other_id`),
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`other_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `duplicate_dismissals_other_id` ON `duplicate_dismissals` (`other_id`);--> statement-breakpoint
CREATE INDEX `duplicate_dismissals_user_id` ON `duplicate_dismissals` (`user_id`);--> statement-breakpoint
CREATE TABLE `duplicate_members` (
	`track_id` integer PRIMARY KEY NOT NULL,
	`group_id` integer NOT NULL,
	FOREIGN KEY (`track_id`) REFERENCES `track_fingerprints`(`track_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `duplicate_members_group_id` ON `duplicate_members` (`group_id`,`track_id`);--> statement-breakpoint
CREATE TABLE `duplicate_pairs` (
	`track_id` integer NOT NULL,
	`other_id` integer NOT NULL,
	`similarity` real NOT NULL,
	PRIMARY KEY(`track_id`, `other_id`),
	FOREIGN KEY (`track_id`) REFERENCES `track_fingerprints`(`track_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`other_id`) REFERENCES `track_fingerprints`(`track_id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `duplicate_pairs_other_id` ON `duplicate_pairs` (`other_id`);--> statement-breakpoint
CREATE TABLE `fingerprint_pieces` (
	`piece` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`track_id` integer NOT NULL,
	PRIMARY KEY(`piece`, `duration_ms`, `track_id`),
	FOREIGN KEY (`track_id`) REFERENCES `track_fingerprints`(`track_id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `fingerprint_pieces_track_id` ON `fingerprint_pieces` (`track_id`);--> statement-breakpoint
CREATE INDEX `source_files_gone` ON `source_files` (`track_id`) WHERE state = 'gone';--> statement-breakpoint
CREATE TABLE `track_fingerprints` (
	`track_id` integer PRIMARY KEY NOT NULL,
	`version` text NOT NULL,
	`duration_ms` integer NOT NULL,
	`raw` blob NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
-- Other audio under a track sounds otherwise. A hash that only becomes known (large files in place are hashed late) is not other audio.
CREATE TRIGGER tracks_replaced_audio AFTER UPDATE OF audio_hash, duration_ms ON tracks
WHEN old.duration_ms IS NOT new.duration_ms OR (old.audio_hash IS NOT NULL AND old.audio_hash IS NOT new.audio_hash) BEGIN
  DELETE FROM track_fingerprints WHERE track_id = new.id;
END;
--> statement-breakpoint
-- One track alone is no group.
CREATE TRIGGER duplicate_members_delete AFTER DELETE ON duplicate_members BEGIN
  DELETE FROM duplicate_members WHERE group_id = old.group_id
    AND (SELECT count(*) FROM (SELECT 1 FROM duplicate_members WHERE group_id = old.group_id LIMIT 2)) = 1;
END;
