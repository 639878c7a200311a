ALTER TABLE `audio_analyses` ADD `retry_at` integer;--> statement-breakpoint
ALTER TABLE `audio_analyses` ADD `unused_since` integer;--> statement-breakpoint
CREATE INDEX `audio_analyses_retry_at` ON `audio_analyses` (`retry_at`) WHERE retry_at IS NOT NULL;