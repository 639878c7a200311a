ALTER TABLE `users` ADD `has_weak_password` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `playlists` ADD `public_since_version` integer;--> statement-breakpoint
ALTER TABLE `radio_stations` ADD `added_by` integer REFERENCES users(id) ON DELETE set null;--> statement-breakpoint
UPDATE playlists SET public_since_version = version WHERE is_public = 1;--> statement-breakpoint
UPDATE radio_stations SET added_by = (SELECT min(id) FROM users WHERE is_superuser = 1);
