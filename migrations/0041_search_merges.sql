-- FTS5 merges its segments in one go when sixteen of a size are there, which took 40 ms and more in the middle of a scan.
-- The server now merges a few pages with each batch (server/library/search-index.ts).
INSERT INTO search_trigrams (search_trigrams, rank) VALUES ('automerge', 0);
--> statement-breakpoint
INSERT INTO search_trigrams (search_trigrams, rank) VALUES ('crisismerge', 1000);
--> statement-breakpoint
INSERT INTO search_trigrams (search_trigrams, rank) VALUES ('usermerge', 16);
--> statement-breakpoint
INSERT INTO search_grams (search_grams, rank) VALUES ('automerge', 0);
--> statement-breakpoint
INSERT INTO search_grams (search_grams, rank) VALUES ('crisismerge', 1000);
--> statement-breakpoint
INSERT INTO search_grams (search_grams, rank) VALUES ('usermerge', 16);
