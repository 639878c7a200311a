CREATE TABLE `history_imports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`filename` text NOT NULL,
	`status` text NOT NULL,
	`bytes_done` integer DEFAULT 0 NOT NULL,
	`bytes_total` integer NOT NULL,
	`added` integer DEFAULT 0 NOT NULL,
	`known` integer DEFAULT 0 NOT NULL,
	`unmatched` integer DEFAULT 0 NOT NULL,
	`unreadable` integer DEFAULT 0 NOT NULL,
	`unmatched_songs` text NOT NULL,
	`error` text,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `history_imports_user_id` ON `history_imports` (`user_id`,`id`);--> statement-breakpoint
CREATE TABLE `scrobble_accounts` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`token` blob NOT NULL,
	`token_salt` blob NOT NULL,
	`username` text NOT NULL,
	`problem` text,
	`is_stopped` integer DEFAULT false NOT NULL,
	`submitted` integer DEFAULT 0 NOT NULL,
	`last_submitted_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `scrobble_queue` (
	`play_id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`refusal` text,
	FOREIGN KEY (`play_id`) REFERENCES `plays`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `scrobble_queue_user_id` ON `scrobble_queue` (`user_id`,`refusal`,`play_id`);--> statement-breakpoint
CREATE TABLE `play_queues` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`track_ids` text NOT NULL,
	`current_index` integer NOT NULL,
	`position_ms` integer NOT NULL,
	`client` text,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `bookmarks` (
	`user_id` integer NOT NULL,
	`track_id` integer NOT NULL,
	`position_ms` integer NOT NULL,
	`comment` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `track_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `bookmarks_track_id` ON `bookmarks` (`track_id`);--> statement-breakpoint
CREATE INDEX `bookmarks_updated_at` ON `bookmarks` (`user_id`,`updated_at`,`track_id`);--> statement-breakpoint
CREATE TABLE `library_totals` (
	`source` text NOT NULL,
	`metadata_status` text NOT NULL,
	`format` text NOT NULL,
	`tracks` integer NOT NULL,
	`size_bytes` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	PRIMARY KEY(`source`, `metadata_status`, `format`)
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `genres` ADD `track_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `plays` ADD `album_title` text;--> statement-breakpoint
ALTER TABLE `plays` ADD `duration_ms` integer;--> statement-breakpoint
ALTER TABLE `plays` ADD `recording_mbid` text;--> statement-breakpoint
ALTER TABLE `plays` ADD `song_key` integer;--> statement-breakpoint
ALTER TABLE `plays` ADD `withdrawn_at` integer;--> statement-breakpoint
DROP INDEX `plays_user_played_at`;--> statement-breakpoint
DROP INDEX `plays_track_id`;--> statement-breakpoint
CREATE INDEX `plays_user_played_at` ON `plays` (`user_id`,`withdrawn_at`,`played_at`,`id`);--> statement-breakpoint
CREATE INDEX `plays_track_id` ON `plays` (`track_id`,`user_id`,`played_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `plays_once` ON `plays` (`user_id`,`song_key`,`played_at`);--> statement-breakpoint
CREATE INDEX `plays_unmatched` ON `plays` (`song_key`,`id`) WHERE track_id IS NULL;--> statement-breakpoint
-- How often somebody played a track, an album, an artist and anything at all: kept by triggers, so that no writer can forget them.
-- An album's or artist's count is the sum over its tracks of today. Counts of a track whose plays were never written stay as they are.
CREATE TRIGGER plays_insert_counts AFTER INSERT ON plays WHEN new.withdrawn_at IS NULL BEGIN
  INSERT INTO play_counts (user_id, item_type, item_id, plays, last_played_at)
    SELECT new.user_id, 'all', 0, 1, new.played_at
    UNION ALL SELECT new.user_id, 'track', new.track_id, 1, new.played_at WHERE new.track_id IS NOT NULL
    UNION ALL SELECT new.user_id, 'album', album_id, 1, new.played_at FROM tracks WHERE id = new.track_id AND album_id IS NOT NULL
    UNION ALL SELECT new.user_id, 'artist', artist_id, 1, new.played_at FROM track_artists WHERE track_id = new.track_id
  ON CONFLICT (user_id, item_type, item_id) DO UPDATE SET plays = plays + 1, last_played_at = max(last_played_at, excluded.last_played_at);
END;
--> statement-breakpoint
-- A play is taken back or restored, or goes to another track. When its track is deleted, tracks_delete_counts has done the work.
CREATE TRIGGER plays_update_counts AFTER UPDATE OF track_id, withdrawn_at ON plays
WHEN (new.track_id IS NOT NULL OR old.track_id IS NULL) AND (old.track_id IS NOT new.track_id OR (old.withdrawn_at IS NULL) <> (new.withdrawn_at IS NULL)) BEGIN
  UPDATE play_counts SET plays = plays - 1, last_played_at = CASE WHEN last_played_at > old.played_at THEN last_played_at ELSE
      coalesce((SELECT max(played_at) FROM plays WHERE user_id = old.user_id AND withdrawn_at IS NULL), last_played_at) END
    WHERE old.withdrawn_at IS NULL AND user_id = old.user_id AND item_type = 'all' AND item_id = 0;
  UPDATE play_counts SET plays = plays - 1, last_played_at = CASE WHEN last_played_at > old.played_at THEN last_played_at ELSE
      coalesce((SELECT max(played_at) FROM plays WHERE track_id = old.track_id AND user_id = old.user_id AND withdrawn_at IS NULL), last_played_at) END
    WHERE old.withdrawn_at IS NULL AND user_id = old.user_id AND item_type = 'track' AND item_id = old.track_id;
  UPDATE play_counts SET plays = plays - 1, last_played_at = CASE WHEN last_played_at > old.played_at THEN last_played_at ELSE
      coalesce((SELECT max(c.last_played_at) FROM tracks t CROSS JOIN play_counts c ON c.user_id = old.user_id AND c.item_type = 'track' AND c.item_id = t.id
        WHERE t.album_id = play_counts.item_id AND c.plays > 0), last_played_at) END
    WHERE old.withdrawn_at IS NULL AND user_id = old.user_id AND item_type = 'album' AND item_id = (SELECT album_id FROM tracks WHERE id = old.track_id);
  UPDATE play_counts SET plays = plays - 1, last_played_at = CASE WHEN last_played_at > old.played_at THEN last_played_at ELSE
      coalesce((SELECT max(c.last_played_at) FROM track_artists a CROSS JOIN play_counts c ON c.user_id = old.user_id AND c.item_type = 'track' AND c.item_id = a.track_id
        WHERE a.artist_id = play_counts.item_id AND c.plays > 0), last_played_at) END
    WHERE old.withdrawn_at IS NULL AND user_id = old.user_id AND item_type = 'artist' AND item_id IN (SELECT artist_id FROM track_artists WHERE track_id = old.track_id);
  INSERT INTO play_counts (user_id, item_type, item_id, plays, last_played_at)
    SELECT new.user_id, 'all', 0, 1, new.played_at WHERE new.withdrawn_at IS NULL
    UNION ALL SELECT new.user_id, 'track', new.track_id, 1, new.played_at WHERE new.withdrawn_at IS NULL AND new.track_id IS NOT NULL
    UNION ALL SELECT new.user_id, 'album', album_id, 1, new.played_at FROM tracks WHERE new.withdrawn_at IS NULL AND id = new.track_id AND album_id IS NOT NULL
    UNION ALL SELECT new.user_id, 'artist', artist_id, 1, new.played_at FROM track_artists WHERE new.withdrawn_at IS NULL AND track_id = new.track_id
  ON CONFLICT (user_id, item_type, item_id) DO UPDATE SET plays = plays + 1, last_played_at = max(last_played_at, excluded.last_played_at);
  DELETE FROM play_counts WHERE plays <= 0 AND user_id = old.user_id AND (
    (item_type = 'all' AND item_id = 0) OR (item_type = 'track' AND item_id = old.track_id)
    OR (item_type = 'album' AND item_id = (SELECT album_id FROM tracks WHERE id = old.track_id))
    OR (item_type = 'artist' AND item_id IN (SELECT artist_id FROM track_artists WHERE track_id = old.track_id)));
END;
--> statement-breakpoint
CREATE TRIGGER track_artists_insert_counts AFTER INSERT ON track_artists WHEN EXISTS (SELECT 1 FROM plays WHERE track_id = new.track_id) BEGIN
  INSERT INTO play_counts (user_id, item_type, item_id, plays, last_played_at)
    SELECT user_id, 'artist', new.artist_id, plays, last_played_at FROM play_counts
    WHERE user_id IN (SELECT user_id FROM plays WHERE track_id = new.track_id) AND item_type = 'track' AND item_id = new.track_id
  ON CONFLICT (user_id, item_type, item_id) DO UPDATE SET plays = plays + excluded.plays, last_played_at = max(last_played_at, excluded.last_played_at);
END;
--> statement-breakpoint
CREATE TRIGGER track_artists_delete_counts AFTER DELETE ON track_artists WHEN EXISTS (SELECT 1 FROM plays WHERE track_id = old.track_id) BEGIN
  UPDATE play_counts SET plays = play_counts.plays - c.plays,
    last_played_at = CASE WHEN play_counts.last_played_at > c.last_played_at THEN play_counts.last_played_at ELSE
      coalesce((SELECT max(o.last_played_at) FROM track_artists a CROSS JOIN play_counts o ON o.user_id = play_counts.user_id AND o.item_type = 'track' AND o.item_id = a.track_id
        WHERE a.artist_id = old.artist_id), c.last_played_at) END
    FROM play_counts c WHERE c.user_id IN (SELECT user_id FROM plays WHERE track_id = old.track_id) AND c.item_type = 'track' AND c.item_id = old.track_id
      AND play_counts.user_id = c.user_id AND play_counts.item_type = 'artist' AND play_counts.item_id = old.artist_id;
  DELETE FROM play_counts WHERE plays <= 0 AND user_id IN (SELECT user_id FROM plays WHERE track_id = old.track_id) AND item_type = 'artist' AND item_id = old.artist_id;
END;
--> statement-breakpoint
CREATE TRIGGER tracks_update_album_counts AFTER UPDATE OF album_id ON tracks
WHEN old.album_id IS NOT new.album_id AND EXISTS (SELECT 1 FROM plays WHERE track_id = new.id) BEGIN
  UPDATE play_counts SET plays = play_counts.plays - c.plays,
    last_played_at = CASE WHEN play_counts.last_played_at > c.last_played_at THEN play_counts.last_played_at ELSE
      coalesce((SELECT max(o.last_played_at) FROM tracks t CROSS JOIN play_counts o ON o.user_id = play_counts.user_id AND o.item_type = 'track' AND o.item_id = t.id
        WHERE t.album_id = old.album_id), c.last_played_at) END
    FROM play_counts c WHERE c.user_id IN (SELECT user_id FROM plays WHERE track_id = new.id) AND c.item_type = 'track' AND c.item_id = new.id
      AND play_counts.user_id = c.user_id AND play_counts.item_type = 'album' AND play_counts.item_id = old.album_id;
  DELETE FROM play_counts WHERE plays <= 0 AND user_id IN (SELECT user_id FROM plays WHERE track_id = new.id) AND item_type = 'album' AND item_id = old.album_id;
  INSERT INTO play_counts (user_id, item_type, item_id, plays, last_played_at)
    SELECT user_id, 'album', new.album_id, plays, last_played_at FROM play_counts
    WHERE new.album_id IS NOT NULL AND user_id IN (SELECT user_id FROM plays WHERE track_id = new.id) AND item_type = 'track' AND item_id = new.id
  ON CONFLICT (user_id, item_type, item_id) DO UPDATE SET plays = plays + excluded.plays, last_played_at = max(last_played_at, excluded.last_played_at);
END;
--> statement-breakpoint
-- Before its plays let go of it. Its artists' counts follow from their credits.
CREATE TRIGGER tracks_delete_counts BEFORE DELETE ON tracks WHEN EXISTS (SELECT 1 FROM plays WHERE track_id = old.id) BEGIN
  DELETE FROM track_artists WHERE track_id = old.id;
  UPDATE play_counts SET plays = play_counts.plays - c.plays,
    last_played_at = CASE WHEN play_counts.last_played_at > c.last_played_at THEN play_counts.last_played_at ELSE
      coalesce((SELECT max(o.last_played_at) FROM tracks t CROSS JOIN play_counts o ON o.user_id = play_counts.user_id AND o.item_type = 'track' AND o.item_id = t.id
        WHERE t.album_id = old.album_id AND t.id <> old.id), c.last_played_at) END
    FROM play_counts c WHERE c.user_id IN (SELECT user_id FROM plays WHERE track_id = old.id) AND c.item_type = 'track' AND c.item_id = old.id
      AND play_counts.user_id = c.user_id AND play_counts.item_type = 'album' AND play_counts.item_id = old.album_id;
  DELETE FROM play_counts WHERE plays <= 0 AND user_id IN (SELECT user_id FROM plays WHERE track_id = old.id) AND item_type = 'album' AND item_id = old.album_id;
  DELETE FROM play_counts WHERE user_id IN (SELECT user_id FROM plays WHERE track_id = old.id) AND item_type = 'track' AND item_id = old.id;
END;
--> statement-breakpoint
-- What GET /storage adds up: a row for every source, status and format that occurs.
CREATE TRIGGER tracks_insert_totals AFTER INSERT ON tracks BEGIN
  INSERT INTO library_totals (source, metadata_status, format, tracks, size_bytes, duration_ms)
    VALUES (new.source, new.metadata_status, coalesce(new.format, ''), 1, coalesce(new.size_bytes, 0), coalesce(new.duration_ms, 0))
  ON CONFLICT (source, metadata_status, format) DO UPDATE SET
    tracks = tracks + 1, size_bytes = size_bytes + excluded.size_bytes, duration_ms = duration_ms + excluded.duration_ms;
END;
--> statement-breakpoint
CREATE TRIGGER tracks_delete_totals AFTER DELETE ON tracks BEGIN
  UPDATE library_totals SET tracks = tracks - 1, size_bytes = size_bytes - coalesce(old.size_bytes, 0), duration_ms = duration_ms - coalesce(old.duration_ms, 0)
    WHERE source = old.source AND metadata_status = old.metadata_status AND format = coalesce(old.format, '');
END;
--> statement-breakpoint
CREATE TRIGGER tracks_update_totals AFTER UPDATE OF source, metadata_status, format, size_bytes, duration_ms ON tracks
WHEN old.source <> new.source OR old.metadata_status <> new.metadata_status OR old.format IS NOT new.format
  OR old.size_bytes IS NOT new.size_bytes OR old.duration_ms IS NOT new.duration_ms BEGIN
  UPDATE library_totals SET tracks = tracks - 1, size_bytes = size_bytes - coalesce(old.size_bytes, 0), duration_ms = duration_ms - coalesce(old.duration_ms, 0)
    WHERE source = old.source AND metadata_status = old.metadata_status AND format = coalesce(old.format, '');
  INSERT INTO library_totals (source, metadata_status, format, tracks, size_bytes, duration_ms)
    VALUES (new.source, new.metadata_status, coalesce(new.format, ''), 1, coalesce(new.size_bytes, 0), coalesce(new.duration_ms, 0))
  ON CONFLICT (source, metadata_status, format) DO UPDATE SET
    tracks = tracks + 1, size_bytes = size_bytes + excluded.size_bytes, duration_ms = duration_ms + excluded.duration_ms;
END;
--> statement-breakpoint
CREATE TRIGGER track_genres_insert AFTER INSERT ON track_genres BEGIN
  UPDATE genres SET track_count = track_count + 1 WHERE id = new.genre_id;
END;
--> statement-breakpoint
CREATE TRIGGER track_genres_delete AFTER DELETE ON track_genres BEGIN
  UPDATE genres SET track_count = track_count - 1 WHERE id = old.genre_id;
END;
--> statement-breakpoint
INSERT INTO library_totals (source, metadata_status, format, tracks, size_bytes, duration_ms)
  SELECT source, metadata_status, coalesce(format, ''), count(*), sum(coalesce(size_bytes, 0)), sum(coalesce(duration_ms, 0)) FROM tracks GROUP BY 1, 2, 3;
--> statement-breakpoint
UPDATE genres SET track_count = (SELECT count(*) FROM track_genres WHERE genre_id = genres.id);
--> statement-breakpoint
INSERT INTO play_counts (user_id, item_type, item_id, plays, last_played_at) SELECT user_id, 'all', 0, count(*), max(played_at) FROM plays GROUP BY user_id;
