CREATE TABLE `album_regroupings` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`title` text NOT NULL,
	`artist_name` text,
	`before` text NOT NULL,
	`made_by` integer,
	`made_at` integer NOT NULL,
	FOREIGN KEY (`made_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `album_regroupings_made_at` ON `album_regroupings` (`made_at`);--> statement-breakpoint
CREATE TABLE `album_review` (
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `unsettled_albums` (
	`name` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
ALTER TABLE `albums` ADD `fixed_by` text;--> statement-breakpoint
CREATE INDEX `albums_name` ON `albums` (`artist_id`,`title_sort`);--> statement-breakpoint
CREATE INDEX `albums_fixed_by` ON `albums` (`fixed_by`) WHERE fixed_by IS NOT NULL;
--> statement-breakpoint
-- Albums that may be others by the new rule stay what they are, until somebody has seen what would change.
CREATE TABLE several_folders AS SELECT t.album_id AS id FROM tracks t
  LEFT JOIN source_files f ON f.track_id = t.id
  WHERE t.album_sort <> ''
  GROUP BY t.album_id HAVING count(DISTINCT coalesce(f.folder_id, 0)) > 1;
--> statement-breakpoint
UPDATE albums SET fixed_by = 'upgrade' WHERE id IN (SELECT id FROM several_folders)
  OR (title_sort <> '[unknown album]' AND EXISTS (SELECT 1 FROM albums o WHERE o.artist_id IS albums.artist_id
    AND o.title_sort = albums.title_sort AND o.id <> albums.id));
--> statement-breakpoint
-- A person brought these tracks together by typing the name of the album.
UPDATE tracks SET provenance = json_set(provenance, '$.release', 'manual')
  WHERE provenance ->> 'album' = 'manual' AND album_id IN (SELECT id FROM several_folders)
    AND NOT EXISTS (SELECT 1 FROM more_tags m JOIN album_keys k ON k.album_id = tracks.album_id
      AND k.key >= 'r:' AND k.key < 'r;' AND substr(k.key, -36) = m.tags ->> '$.releaseMbid'
      WHERE m.track_id = tracks.id);
--> statement-breakpoint
DROP TABLE several_folders;
--> statement-breakpoint
INSERT INTO album_review (due_at) SELECT (unixepoch() + 7 * 86400) * 1000
  WHERE EXISTS (SELECT 1 FROM albums WHERE fixed_by = 'upgrade');
--> statement-breakpoint
INSERT OR IGNORE INTO album_keys (key, album_id)
  SELECT 'd:' || substr(k.key, instr(k.key, ':t:') + 1) || s.source || '/' || s.path, k.album_id
    FROM album_keys k JOIN source_folders s ON s.id = CAST(substr(k.key, 3) AS INTEGER)
    WHERE k.key >= 'f:' AND k.key < 'f;' AND instr(k.key, char(10)) = length(k.key);
--> statement-breakpoint
-- `t:<artist>:` with a line break are the tracks without an album.
DELETE FROM album_keys
  WHERE (key >= 't:' AND key < 't;' AND substr(key, 3 + instr(substr(key, 3), ':')) <> char(10))
  OR (key >= 'f:' AND key < 'f;') OR (key >= 'r:' AND key < 'r;') OR (key >= 'rg:' AND key < 'rg;');
