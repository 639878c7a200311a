CREATE TABLE `file_sums` (
	`track_id` integer PRIMARY KEY NOT NULL,
	`size_bytes` integer NOT NULL,
	`mtime_us` integer NOT NULL,
	`sha256` text NOT NULL,
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade
);
