CREATE TABLE `scrobble_loves` (
	`user_id` integer NOT NULL,
	`service` text NOT NULL,
	`song_key` integer NOT NULL,
	`title` text NOT NULL,
	`artist_name` text NOT NULL,
	`recording_mbid` text,
	`is_listed` integer NOT NULL,
	PRIMARY KEY(`user_id`, `service`, `song_key`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
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
--> statement-breakpoint
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_scrobble_queue` (
	`play_id` integer NOT NULL,
	`service` text NOT NULL,
	`user_id` integer NOT NULL,
	`refusal` text,
	`is_sent` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`play_id`, `service`),
	FOREIGN KEY (`play_id`) REFERENCES `plays`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `__new_scrobble_queue`("play_id", "service", "user_id", "refusal") SELECT "play_id", 'listenbrainz', "user_id", "refusal" FROM `scrobble_queue`;--> statement-breakpoint
DROP TABLE `scrobble_queue`;--> statement-breakpoint
ALTER TABLE `__new_scrobble_queue` RENAME TO `scrobble_queue`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `scrobble_queue_user_id` ON `scrobble_queue` (`user_id`,`service`,`refusal`,`play_id`);--> statement-breakpoint
CREATE TABLE `__new_scrobble_accounts` (
	`user_id` integer NOT NULL,
	`service` text NOT NULL,
	`token` blob NOT NULL,
	`token_salt` blob NOT NULL,
	`username` text NOT NULL,
	`url` text,
	`sync_loves` integer DEFAULT false NOT NULL,
	`loves_synced_at` integer,
	`problem` text,
	`is_stopped` integer DEFAULT false NOT NULL,
	`submitted` integer DEFAULT 0 NOT NULL,
	`last_submitted_at` integer,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `service`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `__new_scrobble_accounts`("user_id", "service", "token", "token_salt", "username", "problem", "is_stopped", "submitted", "last_submitted_at", "created_at") SELECT "user_id", 'listenbrainz', "token", "token_salt", "username", "problem", "is_stopped", "submitted", "last_submitted_at", "created_at" FROM `scrobble_accounts`;--> statement-breakpoint
DROP TABLE `scrobble_accounts`;--> statement-breakpoint
ALTER TABLE `__new_scrobble_accounts` RENAME TO `scrobble_accounts`;