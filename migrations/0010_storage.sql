CREATE TABLE `verify_runs` (
	`scope` text PRIMARY KEY NOT NULL,
	`job_id` integer NOT NULL,
	`after_id` integer NOT NULL,
	`tally` text NOT NULL,
	`started_at` integer NOT NULL
);
