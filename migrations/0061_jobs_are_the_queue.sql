DROP TABLE `queue_tasks`;--> statement-breakpoint
CREATE INDEX `jobs_due` ON `jobs` (`task`,`run_at`,`id`) WHERE status IN ('queued', 'waiting');