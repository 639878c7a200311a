ALTER TABLE `users` ADD `can_podcast` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `hides_playing` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `email` text;