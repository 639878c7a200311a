CREATE TABLE `playlist_file_lines` (
	`file_id` integer NOT NULL,
	`position` integer NOT NULL,
	`line` integer NOT NULL,
	`location` text NOT NULL,
	`title` text,
	`artist` text,
	`album` text,
	`duration_ms` integer,
	`track_id` integer,
	`reason` text,
	PRIMARY KEY(`file_id`, `position`),
	FOREIGN KEY (`file_id`) REFERENCES `playlist_files`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `playlist_file_lines_track_id` ON `playlist_file_lines` (`track_id`);--> statement-breakpoint
CREATE INDEX `playlist_file_lines_unmatched` ON `playlist_file_lines` (`file_id`,`position`) WHERE track_id IS NULL;--> statement-breakpoint
CREATE TABLE `playlist_files` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`path` text NOT NULL,
	`size_bytes` integer NOT NULL,
	`mtime_us` integer NOT NULL,
	`dev` integer NOT NULL,
	`ino` integer NOT NULL,
	`is_pending` integer DEFAULT true NOT NULL,
	`is_gone` integer DEFAULT false NOT NULL,
	`content_hash` text,
	`playlist_id` integer,
	`playlist_version` integer DEFAULT 0 NOT NULL,
	`is_stopped` integer DEFAULT false NOT NULL,
	`playlist_name` text,
	`fault` text,
	FOREIGN KEY (`playlist_id`) REFERENCES `playlists`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `playlist_files_path` ON `playlist_files` (`path`);--> statement-breakpoint
CREATE UNIQUE INDEX `playlist_files_playlist_id` ON `playlist_files` (`playlist_id`);--> statement-breakpoint
CREATE INDEX `playlist_files_content_hash` ON `playlist_files` (`content_hash`);--> statement-breakpoint
CREATE TABLE `written_playlists` (
	`path` text PRIMARY KEY NOT NULL,
	`folder` text NOT NULL,
	`playlist_id` integer NOT NULL,
	`content_hash` text NOT NULL
);
