-- As 0053, for albums of tracks that are in no folder: the rule may divide those in which two tracks claim one place.
UPDATE albums SET fixed_by = 'upgrade' WHERE fixed_by IS NULL AND id IN (SELECT album_id FROM tracks
  WHERE source <> 'local_folder' AND album_sort <> ''
  GROUP BY album_id, coalesce(disc_number, 1), coalesce(track_number, title) HAVING count(*) > 1);
--> statement-breakpoint
DELETE FROM album_review;
--> statement-breakpoint
INSERT INTO album_review (due_at) SELECT (unixepoch() + 7 * 86400) * 1000
  WHERE EXISTS (SELECT 1 FROM albums WHERE fixed_by = 'upgrade');
