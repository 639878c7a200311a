CREATE TABLE `library_identity` (
	`id` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
ALTER TABLE `verify_runs` ADD `after_album_id` integer DEFAULT 0 NOT NULL;
