// The tables of the database, a file for each subject in schema/. Each table begins with a comment that names the
// module that owns it (the only one that writes it) and the meaning of a row; columns have their unit or allowed values
// where the name does not say them. Triggers and search tables are in migrations/, written by hand. So is WITHOUT ROWID
// on tables whose key is their order (album_keys, track_artists, track_credits, track_genres, track_tags,
// track_album_artists, album_artists, album_genres, change_counts, source_files, like_states, play_counts,
// playlist_versions, playlist_past_entries, bookmarks, library_totals, fingerprint_pieces, duplicate_pairs,
// duplicate_dismissals, enrichment_matches, share_tracks, remote_ids), which halves the bytes that a scan writes there.
export * from './schema/about.ts';
export * from './schema/accounts.ts';
export * from './schema/analysis.ts';
export * from './schema/artists-and-albums.ts';
export * from './schema/covers.ts';
export * from './schema/downloads.ts';
export * from './schema/enrichment.ts';
export * from './schema/fingerprints.ts';
export * from './schema/genres.ts';
export * from './schema/history.ts';
export * from './schema/jobs.ts';
export * from './schema/library.ts';
export * from './schema/likeness.ts';
export * from './schema/likes.ts';
export * from './schema/music-folders.ts';
export * from './schema/playback.ts';
export * from './schema/playlist-files.ts';
export * from './schema/playlists.ts';
export * from './schema/podcasts.ts';
export * from './schema/radio.ts';
export * from './schema/shares.ts';
export * from './schema/tracks.ts';
export * from './schema/trash.ts';
