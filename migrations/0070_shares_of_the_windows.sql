ALTER TABLE `shares` ADD `kind` text;--> statement-breakpoint
ALTER TABLE `shares` ADD `ended_at` integer;--> statement-breakpoint
ALTER TABLE `shares` ADD `password_hash` text;--> statement-breakpoint
ALTER TABLE `shares` ADD `may_save` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `shares` ADD `play_count` integer DEFAULT 0 NOT NULL;