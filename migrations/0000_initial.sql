CREATE TABLE `album_covers` (
	`album_id` integer PRIMARY KEY NOT NULL,
	`key` text,
	`etag` text,
	`origin` text,
	`checked_at` integer NOT NULL,
	FOREIGN KEY (`album_id`) REFERENCES `albums`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `album_keys` (
	`key` text PRIMARY KEY NOT NULL,
	`album_id` integer NOT NULL,
	FOREIGN KEY (`album_id`) REFERENCES `albums`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `album_keys_album_id` ON `album_keys` (`album_id`);--> statement-breakpoint
CREATE TABLE `albums` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`title` text NOT NULL,
	`title_sort` text NOT NULL,
	`artist_id` integer,
	`artist_sort` text NOT NULL,
	`year` integer,
	`genre` text,
	`is_compilation` integer DEFAULT false NOT NULL,
	`release_group_mbid` text,
	`source` text,
	`source_id` text,
	`track_count` integer DEFAULT 0 NOT NULL,
	`disc_count` integer DEFAULT 0 NOT NULL,
	`duration_ms` integer DEFAULT 0 NOT NULL,
	`size_bytes` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`artist_id`) REFERENCES `artists`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `albums_title_sort` ON `albums` (`title_sort`,`id`);--> statement-breakpoint
CREATE INDEX `albums_artist_sort` ON `albums` (`artist_sort`,`year`,`title_sort`,`id`);--> statement-breakpoint
CREATE INDEX `albums_year` ON `albums` (`year`,`id`);--> statement-breakpoint
CREATE INDEX `albums_created_at` ON `albums` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `albums_artist_id` ON `albums` (`artist_id`,`year`,`id`);--> statement-breakpoint
CREATE TABLE `artists` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`sort_name` text NOT NULL,
	`sort_key` text NOT NULL,
	`never_split` integer DEFAULT false NOT NULL,
	`artist_mbid` text,
	`source` text,
	`source_id` text,
	`track_count` integer DEFAULT 0 NOT NULL,
	`album_count` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `artists_name_key_unique` ON `artists` (`name_key`);--> statement-breakpoint
CREATE INDEX `artists_sort_key` ON `artists` (`sort_key`,`id`);--> statement-breakpoint
CREATE INDEX `artists_created_at` ON `artists` (`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `downloads` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`source` text NOT NULL,
	`source_id` text NOT NULL,
	`track_id` integer,
	`user_id` integer,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`max_attempts` integer DEFAULT 5 NOT NULL,
	`bytes_done` integer DEFAULT 0 NOT NULL,
	`bytes_total` integer,
	`error` text,
	`next_attempt_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `downloads_track_id` ON `downloads` (`track_id`);--> statement-breakpoint
CREATE INDEX `downloads_created_at` ON `downloads` (`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `genres` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `genres_name_key_unique` ON `genres` (`name_key`);--> statement-breakpoint
CREATE TABLE `jobs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`task` text NOT NULL,
	`payload` text NOT NULL,
	`unique_key` text,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`max_attempts` integer NOT NULL,
	`progress_done` integer,
	`progress_total` integer,
	`progress_message` text,
	`result` text,
	`error` text,
	`run_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`finished_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_unique_key_unfinished` ON `jobs` (`unique_key`) WHERE status IN ('queued', 'running', 'waiting');--> statement-breakpoint
CREATE INDEX `jobs_status` ON `jobs` (`status`,`id`);--> statement-breakpoint
CREATE INDEX `jobs_task` ON `jobs` (`task`,`id`);--> statement-breakpoint
CREATE TABLE `like_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`item_type` text NOT NULL,
	`item_id` integer NOT NULL,
	`liked` integer NOT NULL,
	`rating` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `like_events_user_id` ON `like_events` (`user_id`,`id`);--> statement-breakpoint
CREATE TABLE `like_states` (
	`user_id` integer NOT NULL,
	`item_type` text NOT NULL,
	`item_id` integer NOT NULL,
	`liked` integer NOT NULL,
	`rating` integer DEFAULT 0 NOT NULL,
	`since` integer NOT NULL,
	PRIMARY KEY(`user_id`, `item_type`, `item_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `like_states_liked` ON `like_states` (`user_id`,`item_type`,`liked`,`since`);--> statement-breakpoint
CREATE TABLE `lyrics` (
	`track_id` integer PRIMARY KEY NOT NULL,
	`synced` integer NOT NULL,
	`lines` text NOT NULL,
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `play_counts` (
	`user_id` integer NOT NULL,
	`item_type` text NOT NULL,
	`item_id` integer NOT NULL,
	`plays` integer NOT NULL,
	`last_played_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `item_type`, `item_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `play_counts_plays` ON `play_counts` (`user_id`,`item_type`,`plays`,`item_id`);--> statement-breakpoint
CREATE INDEX `play_counts_last` ON `play_counts` (`user_id`,`item_type`,`last_played_at`,`item_id`);--> statement-breakpoint
CREATE TABLE `playlist_entries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`playlist_id` integer NOT NULL,
	`position` integer NOT NULL,
	`track_id` integer NOT NULL,
	`added_at` integer NOT NULL,
	FOREIGN KEY (`playlist_id`) REFERENCES `playlists`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `playlist_entries_position` ON `playlist_entries` (`playlist_id`,`position`,`id`);--> statement-breakpoint
CREATE INDEX `playlist_entries_track_id` ON `playlist_entries` (`track_id`);--> statement-breakpoint
CREATE TABLE `playlist_versions` (
	`playlist_id` integer NOT NULL,
	`version` integer NOT NULL,
	`change` text NOT NULL,
	`entries` text NOT NULL,
	`user_id` integer,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`playlist_id`, `version`),
	FOREIGN KEY (`playlist_id`) REFERENCES `playlists`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `playlists` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner_id` integer NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`is_public` integer DEFAULT false NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`rules` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `playlists_owner_id` ON `playlists` (`owner_id`,`id`);--> statement-breakpoint
CREATE TABLE `plays` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`track_id` integer,
	`title` text NOT NULL,
	`artist_name` text,
	`played_at` integer NOT NULL,
	`played_ms` integer,
	`client` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `plays_user_played_at` ON `plays` (`user_id`,`played_at`,`id`);--> statement-breakpoint
CREATE INDEX `plays_track_id` ON `plays` (`track_id`);--> statement-breakpoint
CREATE TABLE `queue_tasks` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`queue` text NOT NULL,
	`task` text NOT NULL,
	`priority` integer DEFAULT 0 NOT NULL,
	`run_at` integer NOT NULL,
	`lock` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `queue_tasks_id_unique` ON `queue_tasks` (`queue`,`id`);--> statement-breakpoint
CREATE INDEX `queue_tasks_waiting` ON `queue_tasks` (`queue`,`lock`,`priority`,`run_at`,`seq`);--> statement-breakpoint
CREATE TABLE `source_files` (
	`folder_id` integer NOT NULL,
	`name` text NOT NULL,
	`size_bytes` integer NOT NULL,
	`mtime_us` integer NOT NULL,
	`dev` real NOT NULL,
	`ino` real NOT NULL,
	`state` text NOT NULL,
	`reason` text,
	`track_id` integer,
	PRIMARY KEY(`folder_id`, `name`),
	FOREIGN KEY (`folder_id`) REFERENCES `source_folders`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE set null
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `source_files_track_id` ON `source_files` (`track_id`);--> statement-breakpoint
CREATE INDEX `source_files_ino` ON `source_files` (`ino`);--> statement-breakpoint
CREATE TABLE `source_folders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`source` text NOT NULL,
	`path` text NOT NULL,
	`image_name` text,
	`signature` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `source_folders_source_path_unique` ON `source_folders` (`source`,`path`);--> statement-breakpoint
CREATE TABLE `track_artists` (
	`track_id` integer NOT NULL,
	`position` integer NOT NULL,
	`artist_id` integer NOT NULL,
	`credit` text NOT NULL,
	PRIMARY KEY(`track_id`, `position`),
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`artist_id`) REFERENCES `artists`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `track_artists_artist_id` ON `track_artists` (`artist_id`,`track_id`);--> statement-breakpoint
CREATE TABLE `track_genres` (
	`track_id` integer NOT NULL,
	`position` integer NOT NULL,
	`genre_id` integer NOT NULL,
	PRIMARY KEY(`track_id`, `position`),
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`genre_id`) REFERENCES `genres`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `track_genres_genre_id` ON `track_genres` (`genre_id`,`track_id`);--> statement-breakpoint
CREATE TABLE `tracks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`title` text NOT NULL,
	`title_sort` text NOT NULL,
	`artist_id` integer,
	`artist_name` text,
	`artist_sort` text NOT NULL,
	`album_id` integer,
	`album_sort` text NOT NULL,
	`genre` text,
	`year` integer,
	`track_number` integer,
	`disc_number` integer,
	`duration_ms` integer,
	`size_bytes` integer,
	`format` text,
	`codec` text,
	`bitrate_kbps` integer,
	`sample_rate_hz` integer,
	`bit_depth` integer,
	`channels` integer,
	`encoder_delay` integer,
	`encoder_padding` integer,
	`source` text NOT NULL,
	`source_id` text NOT NULL,
	`storage_uri` text,
	`content_hash` text,
	`audio_hash` text,
	`availability` text NOT NULL,
	`metadata_status` text NOT NULL,
	`metadata_error` text,
	`enriched_at` integer,
	`fpid_score` real,
	`recording_mbid` text,
	`acoustid_id` text,
	`track_gain_db` real,
	`track_peak` real,
	`album_gain_db` real,
	`album_peak` real,
	`has_picture` integer DEFAULT false NOT NULL,
	`has_lyrics` integer DEFAULT false NOT NULL,
	`cover_url` text,
	`provenance` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`artist_id`) REFERENCES `artists`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`album_id`) REFERENCES `albums`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tracks_source_source_id_unique` ON `tracks` (`source`,`source_id`);--> statement-breakpoint
CREATE INDEX `tracks_title_sort` ON `tracks` (`title_sort`,`id`);--> statement-breakpoint
CREATE INDEX `tracks_artist_sort` ON `tracks` (`artist_sort`,`album_sort`,`album_id`,`disc_number`,`track_number`,`id`);--> statement-breakpoint
CREATE INDEX `tracks_album_sort` ON `tracks` (`album_sort`,`album_id`,`disc_number`,`track_number`,`id`);--> statement-breakpoint
CREATE INDEX `tracks_year` ON `tracks` (`year`,`id`);--> statement-breakpoint
CREATE INDEX `tracks_created_at` ON `tracks` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `tracks_duration` ON `tracks` (`duration_ms`,`id`);--> statement-breakpoint
CREATE INDEX `tracks_album_id` ON `tracks` (`album_id`,`disc_number`,`track_number`,`id`);--> statement-breakpoint
CREATE INDEX `tracks_artist_id` ON `tracks` (`artist_id`);--> statement-breakpoint
CREATE INDEX `tracks_content_hash` ON `tracks` (`content_hash`);--> statement-breakpoint
CREATE INDEX `tracks_audio_hash` ON `tracks` (`audio_hash`) WHERE audio_hash IS NOT NULL;--> statement-breakpoint
CREATE INDEX `tracks_unhashed` ON `tracks` (`source`,`id`) WHERE audio_hash IS NULL AND storage_uri IS NOT NULL;--> statement-breakpoint
CREATE INDEX `tracks_recording_mbid` ON `tracks` (`recording_mbid`) WHERE recording_mbid IS NOT NULL;--> statement-breakpoint
CREATE INDEX `tracks_metadata_status` ON `tracks` (`metadata_status`,`id`);--> statement-breakpoint
CREATE INDEX `tracks_not_available` ON `tracks` (`availability`,`id`) WHERE availability <> 'available';--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`username` text NOT NULL,
	`username_key` text NOT NULL,
	`password_hash` text NOT NULL,
	`is_superuser` integer DEFAULT false NOT NULL,
	`token_version` integer DEFAULT 1 NOT NULL,
	`app_password` blob,
	`app_password_salt` blob,
	`app_password_lookup` text,
	`created_at` integer NOT NULL,
	`last_seen_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_username_key_unique` ON `users` (`username_key`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_app_password_lookup_unique` ON `users` (`app_password_lookup`);