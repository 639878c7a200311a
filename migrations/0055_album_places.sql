DROP INDEX `tracks_artist_sort`;--> statement-breakpoint
DROP INDEX `tracks_album_sort`;--> statement-breakpoint
CREATE INDEX `tracks_artist_sort` ON `tracks` (`artist_sort`,`album_sort`,`album_id`,CASE WHEN disc_number IS NOT NULL THEN disc_number WHEN track_number IS NULL THEN 10000
    ELSE 1 END * 10000 + CASE WHEN track_number IS NULL THEN 9999 ELSE track_number END,`id`);--> statement-breakpoint
CREATE INDEX `tracks_album_sort` ON `tracks` (`album_sort`,`album_id`,CASE WHEN disc_number IS NOT NULL THEN disc_number WHEN track_number IS NULL THEN 10000
    ELSE 1 END * 10000 + CASE WHEN track_number IS NULL THEN 9999 ELSE track_number END,`id`);