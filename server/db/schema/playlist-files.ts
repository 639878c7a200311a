// Playlist files: those in the music folders that playlists follow, and those that are written out.
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { PlaylistId, TrackId } from '../ids.ts';
import { flag } from './columns.ts';
import { playlists } from './playlists.ts';
import { tracks } from './tracks.ts';

/** playlist-files/: a playlist file in a music folder, with the playlist that was made of it. */
export const playlistFiles = sqliteTable(
  'playlist_files',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    path: text('path').notNull(), // in the tree of music folders, spelled as on disk
    // size, time and numbers of the file as the last scan saw it
    sizeBytes: integer('size_bytes').notNull(),
    mtimeUs: integer('mtime_us').notNull(),
    dev: integer('dev').notNull(),
    ino: integer('ino').notNull(),
    isPending: flag('is_pending').notNull().default(true), // whether the file has to be read
    isGone: flag('is_gone').notNull().default(false), // whether the last scan did not find the file
    contentHash: text('content_hash'), // of the contents that were read last; null before the first reading
    // null if the file made no playlist, or if its playlist was deleted for good
    playlistId: integer('playlist_id')
      .$type<PlaylistId>()
      .references(() => playlists.id, { onDelete: 'set null' }),
    // The version that the file made last. The playlist follows the file until a person makes a later version.
    playlistVersion: integer('playlist_version').notNull().default(0),
    isStopped: flag('is_stopped').notNull().default(false), // whether a person chose that the playlist does not follow
    playlistName: text('playlist_name'), // the name that the file gave; a person may have given another one since
    fault: text('fault'), // why the file could not be used, or what of it; null without a fault
  },
  (t) => [
    uniqueIndex('playlist_files_path').on(t.path),
    uniqueIndex('playlist_files_playlist_id').on(t.playlistId),
    index('playlist_files_content_hash').on(t.contentHash),
  ],
);

/** playlist-files/: a track that a playlist file names, in the order of the file. */
export const playlistFileLines = sqliteTable(
  'playlist_file_lines',
  {
    fileId: integer('file_id')
      .notNull()
      .references(() => playlistFiles.id, { onDelete: 'cascade' }),
    position: integer('position').notNull(), // from 0
    line: integer('line').notNull(), // number of the line, from 1
    location: text('location').notNull(), // the path or address, as the file spells it; '' if the line has only a title
    title: text('title'),
    artist: text('artist'),
    album: text('album'),
    durationMs: integer('duration_ms'),
    trackId: integer('track_id')
      .$type<TrackId>()
      .references(() => tracks.id, { onDelete: 'set null' }), // null while nothing in the library matches
    reason: text('reason'), // why nothing matches
  },
  (t) => [
    primaryKey({ columns: [t.fileId, t.position] }),
    index('playlist_file_lines_track_id').on(t.trackId),
    index('playlist_file_lines_unmatched')
      .on(t.fileId, t.position)
      .where(sql`track_id IS NULL`),
  ],
);

/** playlist-files/: a file that Tonearm wrote into PLAYLIST_EXPORT_PATH. */
export const writtenPlaylists = sqliteTable('written_playlists', {
  path: text('path').primaryKey(), // below the folder; the first name is that of the owner
  folder: text('folder').notNull(), // PLAYLIST_EXPORT_PATH when the file was written
  playlistId: integer('playlist_id').$type<PlaylistId>().notNull(), // the playlist may have been deleted since
  contentHash: text('content_hash').notNull(), // a file with other contents was changed by somebody else
});
