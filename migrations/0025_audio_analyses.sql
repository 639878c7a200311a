CREATE TABLE `album_loudness` (
	`album_id` integer PRIMARY KEY NOT NULL,
	`members` text NOT NULL,
	`loudness_lufs` real,
	`loudness_range_lu` real NOT NULL,
	`true_peak` real NOT NULL,
	FOREIGN KEY (`album_id`) REFERENCES `albums`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `audio_analyses` (
	`audio_key` text PRIMARY KEY NOT NULL,
	`failure` text,
	`fingerprint_version` integer DEFAULT 0 NOT NULL,
	`no_fingerprint` text,
	`loudness_version` integer DEFAULT 0 NOT NULL,
	`sample_rate_hz` integer,
	`frames` integer,
	`leading_silence` integer,
	`trailing_silence` integer,
	`loudness_lufs` real,
	`loudness_range_lu` real,
	`true_peak` real,
	`loudness_blocks` blob,
	`waveform_version` integer DEFAULT 0 NOT NULL,
	`waveform` blob,
	`rhythm_version` integer DEFAULT 0 NOT NULL,
	`bpm` real,
	`bpm_confidence` real,
	`beats` blob,
	`bar_beats` integer,
	`first_downbeat` integer,
	`musical_key` text,
	`key_confidence` real,
	`energy` integer,
	`character_version` integer DEFAULT 0 NOT NULL,
	`character` blob
);
--> statement-breakpoint
DROP TABLE `track_analyses`;--> statement-breakpoint
ALTER TABLE `tracks` ADD `initial_key` text;--> statement-breakpoint
ALTER TABLE `tracks` ADD `initial_key_sort` text;--> statement-breakpoint
ALTER TABLE `tracks` ADD `energy` integer;--> statement-breakpoint
ALTER TABLE `tracks` ADD `measured_gain_db` real;--> statement-breakpoint
ALTER TABLE `tracks` ADD `measured_peak` real;--> statement-breakpoint
ALTER TABLE `tracks` ADD `measured_album_gain_db` real;--> statement-breakpoint
ALTER TABLE `tracks` ADD `measured_album_peak` real;--> statement-breakpoint
CREATE INDEX `tracks_initial_key` ON `tracks` (`initial_key_sort`,`id`) WHERE initial_key_sort IS NOT NULL;--> statement-breakpoint
CREATE INDEX `tracks_energy` ON `tracks` (`energy`,`id`) WHERE energy IS NOT NULL;--> statement-breakpoint
DELETE FROM `tags_again`;--> statement-breakpoint
INSERT INTO `tags_again` (`last_id`, `up_to_id`) SELECT 0, `newest` FROM (SELECT max(`id`) AS `newest` FROM `tracks`) WHERE `newest` IS NOT NULL;--> statement-breakpoint
CREATE TRIGGER tracks_audio_replaced AFTER UPDATE OF audio_hash ON tracks
WHEN NEW.audio_hash IS NOT OLD.audio_hash AND (NEW.measured_gain_db IS NOT NULL OR NEW.provenance LIKE '%"measured"%') BEGIN
  UPDATE tracks SET measured_gain_db = NULL, measured_peak = NULL, measured_album_gain_db = NULL,
    measured_album_peak = NULL,
    bpm = iif(provenance ->> '$.bpm' = 'measured', NULL, bpm),
    initial_key = iif(provenance ->> '$.initialKey' = 'measured', NULL, initial_key),
    initial_key_sort = iif(provenance ->> '$.initialKey' = 'measured', NULL, initial_key_sort),
    energy = iif(provenance ->> '$.energy' = 'measured', NULL, energy),
    provenance = nullif(json_patch(provenance, json_object(
      'bpm', nullif(provenance ->> '$.bpm', 'measured'),
      'initialKey', nullif(provenance ->> '$.initialKey', 'measured'),
      'energy', nullif(provenance ->> '$.energy', 'measured'))), '{}')
    WHERE id = NEW.id;
END;
