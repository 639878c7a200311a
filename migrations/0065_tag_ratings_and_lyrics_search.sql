CREATE TABLE `tag_plays` (
	`user_id` integer NOT NULL,
	`track_id` integer NOT NULL,
	`plays` integer NOT NULL,
	`last_played_at` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`track_id`, `user_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `lyrics_pending` (
	`track_id` integer PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE `tag_ratings` (
	`track_id` integer PRIMARY KEY NOT NULL,
	`rating` real,
	`plays` integer,
	`last_played_at` integer,
	FOREIGN KEY (`track_id`) REFERENCES `tracks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `tag_ratings_unread` (
	`last_id` integer PRIMARY KEY NOT NULL,
	`up_to_id` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `like_states` ADD `rating_origin` text;
--> statement-breakpoint
-- Ratings that a person set or removed are theirs; tags never change these.
UPDATE like_states SET rating_origin = 'person' WHERE rating > 0 OR (user_id, item_type, item_id) IN (SELECT user_id, item_type, item_id FROM like_events WHERE rating IS NOT NULL);
--> statement-breakpoint
-- The tags of these tracks were read without their ratings. They are read again when an administrator names an account.
INSERT INTO tag_ratings_unread (last_id, up_to_id) SELECT 0, newest FROM (SELECT max(id) AS newest FROM tracks) WHERE newest IS NOT NULL;
--> statement-breakpoint
-- Who has play counts of a track.
CREATE VIEW track_listeners AS SELECT track_id, user_id FROM plays WHERE track_id IS NOT NULL UNION ALL SELECT track_id, user_id FROM tag_plays;
--> statement-breakpoint
-- The same triggers as before, which count plays by tags too.
DROP TRIGGER track_artists_insert_counts;
--> statement-breakpoint
CREATE TRIGGER track_artists_insert_counts AFTER INSERT ON track_artists WHEN EXISTS (SELECT 1 FROM track_listeners WHERE track_id = new.track_id) BEGIN
  INSERT INTO play_counts (user_id, item_type, item_id, plays, last_played_at)
    SELECT user_id, 'artist', new.artist_id, plays, last_played_at FROM play_counts
    WHERE user_id IN (SELECT user_id FROM track_listeners WHERE track_id = new.track_id) AND item_type = 'track' AND item_id = new.track_id
  ON CONFLICT (user_id, item_type, item_id) DO UPDATE SET plays = plays + excluded.plays, last_played_at = max(last_played_at, excluded.last_played_at);
END;
--> statement-breakpoint
DROP TRIGGER track_artists_delete_counts;
--> statement-breakpoint
CREATE TRIGGER track_artists_delete_counts AFTER DELETE ON track_artists WHEN EXISTS (SELECT 1 FROM track_listeners WHERE track_id = old.track_id) BEGIN
  UPDATE play_counts SET plays = play_counts.plays - c.plays,
    last_played_at = CASE WHEN play_counts.last_played_at > c.last_played_at THEN play_counts.last_played_at ELSE
      coalesce((SELECT max(o.last_played_at) FROM track_artists a CROSS JOIN play_counts o ON o.user_id = play_counts.user_id AND o.item_type = 'track' AND o.item_id = a.track_id
        WHERE a.artist_id = old.artist_id), c.last_played_at) END
    FROM play_counts c WHERE c.user_id IN (SELECT user_id FROM track_listeners WHERE track_id = old.track_id) AND c.item_type = 'track' AND c.item_id = old.track_id
      AND play_counts.user_id = c.user_id AND play_counts.item_type = 'artist' AND play_counts.item_id = old.artist_id;
  DELETE FROM play_counts WHERE plays <= 0 AND user_id IN (SELECT user_id FROM track_listeners WHERE track_id = old.track_id) AND item_type = 'artist' AND item_id = old.artist_id;
END;
--> statement-breakpoint
DROP TRIGGER tracks_update_album_counts;
--> statement-breakpoint
CREATE TRIGGER tracks_update_album_counts AFTER UPDATE OF album_id ON tracks
WHEN old.album_id IS NOT new.album_id AND EXISTS (SELECT 1 FROM track_listeners WHERE track_id = new.id) BEGIN
  UPDATE play_counts SET plays = play_counts.plays - c.plays,
    last_played_at = CASE WHEN play_counts.last_played_at > c.last_played_at THEN play_counts.last_played_at ELSE
      coalesce((SELECT max(o.last_played_at) FROM tracks t CROSS JOIN play_counts o ON o.user_id = play_counts.user_id AND o.item_type = 'track' AND o.item_id = t.id
        WHERE t.album_id = old.album_id), c.last_played_at) END
    FROM play_counts c WHERE c.user_id IN (SELECT user_id FROM track_listeners WHERE track_id = new.id) AND c.item_type = 'track' AND c.item_id = new.id
      AND play_counts.user_id = c.user_id AND play_counts.item_type = 'album' AND play_counts.item_id = old.album_id;
  DELETE FROM play_counts WHERE plays <= 0 AND user_id IN (SELECT user_id FROM track_listeners WHERE track_id = new.id) AND item_type = 'album' AND item_id = old.album_id;
  INSERT INTO play_counts (user_id, item_type, item_id, plays, last_played_at)
    SELECT user_id, 'album', new.album_id, plays, last_played_at FROM play_counts
    WHERE new.album_id IS NOT NULL AND user_id IN (SELECT user_id FROM track_listeners WHERE track_id = new.id) AND item_type = 'track' AND item_id = new.id
  ON CONFLICT (user_id, item_type, item_id) DO UPDATE SET plays = plays + excluded.plays, last_played_at = max(last_played_at, excluded.last_played_at);
END;
--> statement-breakpoint
DROP TRIGGER tracks_delete_counts;
--> statement-breakpoint
CREATE TRIGGER tracks_delete_counts BEFORE DELETE ON tracks WHEN EXISTS (SELECT 1 FROM track_listeners WHERE track_id = old.id) BEGIN
  DELETE FROM track_artists WHERE track_id = old.id;
  UPDATE play_counts SET plays = play_counts.plays - c.plays,
    last_played_at = CASE WHEN play_counts.last_played_at > c.last_played_at THEN play_counts.last_played_at ELSE
      coalesce((SELECT max(o.last_played_at) FROM tracks t CROSS JOIN play_counts o ON o.user_id = play_counts.user_id AND o.item_type = 'track' AND o.item_id = t.id
        WHERE t.album_id = old.album_id AND t.id <> old.id), c.last_played_at) END
    FROM play_counts c WHERE c.user_id IN (SELECT user_id FROM track_listeners WHERE track_id = old.id) AND c.item_type = 'track' AND c.item_id = old.id
      AND play_counts.user_id = c.user_id AND play_counts.item_type = 'album' AND play_counts.item_id = old.album_id;
  DELETE FROM play_counts WHERE plays <= 0 AND user_id IN (SELECT user_id FROM track_listeners WHERE track_id = old.id) AND item_type = 'album' AND item_id = old.album_id;
  DELETE FROM play_counts WHERE user_id IN (SELECT user_id FROM track_listeners WHERE track_id = old.id) AND item_type = 'track' AND item_id = old.id;
END;
--> statement-breakpoint
DROP TRIGGER plays_update_counts;
--> statement-breakpoint
CREATE TRIGGER plays_update_counts AFTER UPDATE OF track_id, withdrawn_at ON plays
WHEN (new.track_id IS NOT NULL OR old.track_id IS NULL) AND (old.track_id IS NOT new.track_id OR (old.withdrawn_at IS NULL) <> (new.withdrawn_at IS NULL)) BEGIN
  UPDATE play_counts SET plays = plays - 1, last_played_at = CASE WHEN last_played_at > old.played_at THEN last_played_at ELSE
      coalesce((SELECT max(played_at) FROM plays WHERE user_id = old.user_id AND withdrawn_at IS NULL), last_played_at) END
    WHERE old.withdrawn_at IS NULL AND user_id = old.user_id AND item_type = 'all' AND item_id = 0;
  UPDATE play_counts SET plays = plays - 1, last_played_at = CASE WHEN last_played_at > old.played_at THEN last_played_at ELSE
      coalesce((SELECT max(played_at) FROM (SELECT played_at FROM plays WHERE track_id = old.track_id AND user_id = old.user_id AND withdrawn_at IS NULL
        UNION ALL SELECT last_played_at FROM tag_plays WHERE track_id = old.track_id AND user_id = old.user_id)), last_played_at) END
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
-- Plays by tags are part of the counts of track, album and artists, but not of the history ('all'). Rows are inserted and deleted, never updated.
CREATE TRIGGER tag_plays_insert_counts AFTER INSERT ON tag_plays BEGIN
  INSERT INTO play_counts (user_id, item_type, item_id, plays, last_played_at)
    SELECT new.user_id, 'track', new.track_id, new.plays, new.last_played_at
    UNION ALL SELECT new.user_id, 'album', album_id, new.plays, new.last_played_at FROM tracks WHERE id = new.track_id AND album_id IS NOT NULL
    UNION ALL SELECT new.user_id, 'artist', artist_id, new.plays, new.last_played_at FROM track_artists WHERE track_id = new.track_id
  ON CONFLICT (user_id, item_type, item_id) DO UPDATE SET plays = plays + excluded.plays, last_played_at = max(last_played_at, excluded.last_played_at);
END;
--> statement-breakpoint
CREATE TRIGGER tag_plays_delete_counts AFTER DELETE ON tag_plays BEGIN
  UPDATE play_counts SET plays = plays - old.plays, last_played_at = CASE WHEN last_played_at > old.last_played_at THEN last_played_at ELSE
      coalesce((SELECT max(played_at) FROM plays WHERE track_id = old.track_id AND user_id = old.user_id AND withdrawn_at IS NULL), 0) END
    WHERE user_id = old.user_id AND item_type = 'track' AND item_id = old.track_id;
  UPDATE play_counts SET plays = plays - old.plays, last_played_at = CASE WHEN last_played_at > old.last_played_at THEN last_played_at ELSE
      coalesce((SELECT max(c.last_played_at) FROM tracks t CROSS JOIN play_counts c ON c.user_id = old.user_id AND c.item_type = 'track' AND c.item_id = t.id
        WHERE t.album_id = play_counts.item_id AND c.plays > 0), 0) END
    WHERE user_id = old.user_id AND item_type = 'album' AND item_id = (SELECT album_id FROM tracks WHERE id = old.track_id);
  UPDATE play_counts SET plays = plays - old.plays, last_played_at = CASE WHEN last_played_at > old.last_played_at THEN last_played_at ELSE
      coalesce((SELECT max(c.last_played_at) FROM track_artists a CROSS JOIN play_counts c ON c.user_id = old.user_id AND c.item_type = 'track' AND c.item_id = a.track_id
        WHERE a.artist_id = play_counts.item_id AND c.plays > 0), 0) END
    WHERE user_id = old.user_id AND item_type = 'artist' AND item_id IN (SELECT artist_id FROM track_artists WHERE track_id = old.track_id);
  DELETE FROM play_counts WHERE plays <= 0 AND user_id = old.user_id AND (
    (item_type = 'track' AND item_id = old.track_id)
    OR (item_type = 'album' AND item_id = (SELECT album_id FROM tracks WHERE id = old.track_id))
    OR (item_type = 'artist' AND item_id IN (SELECT artist_id FROM track_artists WHERE track_id = old.track_id)));
END;
--> statement-breakpoint
-- The words of all lyrics, folded by lyrics/lyrics-words.ts. The rowid is the track's id; the text itself is not stored again.
CREATE VIRTUAL TABLE search_lyrics USING fts5(text, content='', contentless_delete=1, tokenize='ascii');
--> statement-breakpoint
CREATE TRIGGER lyrics_insert_pending AFTER INSERT ON lyrics BEGIN
  INSERT INTO lyrics_pending (track_id) SELECT new.track_id WHERE NOT EXISTS (SELECT 1 FROM lyrics_pending WHERE track_id = new.track_id);
END;
--> statement-breakpoint
CREATE TRIGGER lyrics_update_pending AFTER UPDATE ON lyrics BEGIN
  INSERT INTO lyrics_pending (track_id) SELECT new.track_id WHERE NOT EXISTS (SELECT 1 FROM lyrics_pending WHERE track_id = new.track_id);
END;
--> statement-breakpoint
CREATE TRIGGER lyrics_delete_pending AFTER DELETE ON lyrics BEGIN
  INSERT INTO lyrics_pending (track_id) SELECT old.track_id WHERE NOT EXISTS (SELECT 1 FROM lyrics_pending WHERE track_id = old.track_id);
END;
--> statement-breakpoint
CREATE TRIGGER found_lyrics_insert_pending AFTER INSERT ON found_lyrics BEGIN
  INSERT INTO lyrics_pending (track_id) SELECT new.track_id WHERE NOT EXISTS (SELECT 1 FROM lyrics_pending WHERE track_id = new.track_id);
END;
--> statement-breakpoint
CREATE TRIGGER found_lyrics_update_pending AFTER UPDATE ON found_lyrics BEGIN
  INSERT INTO lyrics_pending (track_id) SELECT new.track_id WHERE NOT EXISTS (SELECT 1 FROM lyrics_pending WHERE track_id = new.track_id);
END;
--> statement-breakpoint
CREATE TRIGGER found_lyrics_delete_pending AFTER DELETE ON found_lyrics BEGIN
  INSERT INTO lyrics_pending (track_id) SELECT old.track_id WHERE NOT EXISTS (SELECT 1 FROM lyrics_pending WHERE track_id = old.track_id);
END;
--> statement-breakpoint
INSERT INTO lyrics_pending (track_id) SELECT track_id FROM lyrics UNION SELECT track_id FROM found_lyrics;
