ALTER TABLE `former_covers` ADD `found_in` text;
--> statement-breakpoint
DROP TRIGGER albums_keep_cover;
--> statement-breakpoint
-- The cover of an album that is deleted with its last track: what a person chose, or what was found, if the tracks are in other albums now.
CREATE TRIGGER albums_keep_cover BEFORE DELETE ON albums BEGIN
  INSERT INTO former_covers (album_id, title_sort, artist_key, year, key, etag, removed_at, found_in)
    SELECT old.id, old.title_sort, (SELECT name_key FROM artists WHERE id = old.artist_id), old.year, key, etag,
      CAST(unixepoch('subsec') * 1000 AS INTEGER), nullif(origin, 'manual')
    FROM album_covers WHERE album_id = old.id AND (origin = 'manual' OR key IS NOT NULL
      AND EXISTS (SELECT 1 FROM track_departures WHERE item_type = 'album' AND from_id = old.id));
END;
