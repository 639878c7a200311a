-- The search texts are written anew without punctuation, with sort names and composers; and every word of them once.
CREATE TABLE `search_words` (
	`word` text PRIMARY KEY NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
INSERT OR REPLACE INTO `search_rebuild` (`kind`, `last_id`) SELECT 'artist', 0 WHERE EXISTS (SELECT 1 FROM `artists`)
  UNION ALL SELECT 'album', 0 WHERE EXISTS (SELECT 1 FROM `albums`) UNION ALL SELECT 'track', 0 WHERE EXISTS (SELECT 1 FROM `tracks`);
