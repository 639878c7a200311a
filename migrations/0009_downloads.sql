ALTER TABLE `downloads` ADD `job_id` integer;--> statement-breakpoint
CREATE INDEX `downloads_job_id` ON `downloads` (`job_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `downloads_track_id_unfinished` ON `downloads` (`track_id`) WHERE status IN ('queued', 'running', 'waiting');--> statement-breakpoint
CREATE INDEX `downloads_status` ON `downloads` (`status`,`id`);--> statement-breakpoint
CREATE TABLE `remote_ids` (
	`source` text NOT NULL,
	`source_id` text NOT NULL,
	`track_id` integer NOT NULL,
	`page_url` text,
	PRIMARY KEY(`source`, `source_id`),
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `remote_ids_track_id` ON `remote_ids` (`track_id`);--> statement-breakpoint
CREATE INDEX `tracks_remote_cover` ON `tracks` (`album_id`) WHERE cover_url IS NOT NULL;--> statement-breakpoint
-- The job is the truth about a download: how often it was tried, when it is tried again, how it ended. The row that people see follows it
-- in the same transaction, whoever changes the job (an attempt, a person, the start after a kill).
CREATE TRIGGER downloads_job_added AFTER INSERT ON jobs WHEN new.task IN ('download_task', 'materialize_track') BEGIN
  UPDATE downloads SET job_id = new.id, status = new.status, attempts = new.attempts, max_attempts = new.max_attempts, error = NULL, next_attempt_at = NULL,
    updated_at = new.created_at WHERE id = new.payload ->> '$.downloadId';
END;
--> statement-breakpoint
CREATE TRIGGER downloads_job_changed AFTER UPDATE OF status ON jobs WHEN new.task IN ('download_task', 'materialize_track') BEGIN
  UPDATE downloads SET status = new.status, attempts = new.attempts, error = new.error, next_attempt_at = CASE new.status WHEN 'waiting' THEN new.run_at END,
    updated_at = max(updated_at, coalesce(new.finished_at, new.started_at, updated_at)) WHERE job_id = new.id;
  UPDATE tracks SET availability = CASE WHEN storage_uri IS NULL THEN 'remote' ELSE 'missing' END
    WHERE new.status IN ('failed', 'cancelled') AND id = (SELECT track_id FROM downloads WHERE job_id = new.id) AND availability = 'fetching';
END;
