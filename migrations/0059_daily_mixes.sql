CREATE TABLE `daily_mixes` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`day` integer NOT NULL,
	`made_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`mixes` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
