// Playlists and their versions.
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { PlaylistId, TrackId, UserId } from '../ids.ts';
import { users } from './accounts.ts';
import { flag, id, json, time } from './columns.ts';
import { tracks } from './tracks.ts';

/** playlists/: a playlist of a person. */
export const playlists = sqliteTable(
  'playlists',
  {
    id: id<PlaylistId>(),
    ownerId: integer('owner_id')
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    description: text('description'),
    isPublic: flag('is_public').notNull().default(false), // whether everybody may read the playlist
    version: integer('version').notNull().default(1),
    rules: json<unknown>('rules'), // the rules of a smart playlist, as in the API; null for an ordinary one
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
    // this and the next column are maintained by triggers; 0 for a smart playlist
    trackCount: integer('track_count').notNull().default(0),
    durationMs: integer('duration_ms').notNull().default(0),
    deletedAt: time('deleted_at'), // a deleted playlist keeps its row, so that it can be restored
    // the first version that others may read; null if there is none
    publicSinceVersion: integer('public_since_version'),
  },
  (t) => [
    index('playlists_owner_id').on(t.ownerId, t.id),
    index('playlists_public')
      .on(t.id)
      .where(sql`is_public = 1`),
  ],
);

/** playlists/: a track in the current version of a playlist. */
export const playlistEntries = sqliteTable(
  'playlist_entries',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    playlistId: integer('playlist_id')
      .$type<PlaylistId>()
      .notNull()
      .references(() => playlists.id, { onDelete: 'cascade' }),
    position: integer('position').notNull(), // sort key with wide gaps; see playlists/positions.ts
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    addedAt: time('added_at').notNull(),
    sinceVersion: integer('since_version').notNull().default(1), // the version in which the track came to this position
  },
  (t) => [
    index('playlist_entries_position').on(t.playlistId, t.position, t.id),
    index('playlist_entries_track_id').on(t.trackId),
  ],
);

/**
 * playlists/: a position that a track had from one version of a playlist until another. With these rows and the current
 * entries, every version can be reconstructed.
 */
export const playlistPastEntries = sqliteTable(
  'playlist_past_entries',
  {
    playlistId: integer('playlist_id')
      .$type<PlaylistId>()
      .notNull()
      .references(() => playlists.id, { onDelete: 'cascade' }),
    untilVersion: integer('until_version').notNull(), // the first version without this entry
    entryId: integer('entry_id').notNull(),
    sinceVersion: integer('since_version').notNull(),
    position: integer('position').notNull(),
    // changed when the track is merged into another; the track may have left the library
    trackId: integer('track_id').$type<TrackId>().notNull(),
    addedAt: time('added_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.playlistId, t.untilVersion, t.entryId] }),
    index('playlist_past_entries_track_id').on(t.trackId),
    index('playlist_past_entries_position').on(t.playlistId, t.position),
  ],
);

/** The kind of change that made a version of a playlist. */
export type PlaylistChange =
  | 'create'
  | 'add'
  | 'remove'
  | 'reorder'
  | 'replace'
  | 'restore'
  | 'import'
  | 'rules'
  | 'file'
  | 'track_deleted'
  | 'track_restored';

/** playlists/: a version of a playlist, with the change that made it. Rows are never updated or deleted. */
export const playlistVersions = sqliteTable(
  'playlist_versions',
  {
    playlistId: integer('playlist_id')
      .$type<PlaylistId>()
      .notNull()
      .references(() => playlists.id, { onDelete: 'cascade' }),
    version: integer('version').notNull(),
    change: text('change').$type<PlaylistChange>().notNull(),
    // number of added entries; this and the next two columns are differences from the previous version
    added: integer('added').notNull(),
    removed: integer('removed').notNull(),
    moved: integer('moved').notNull(),
    trackCount: integer('track_count').notNull(), // number of tracks in this version
    rules: json<unknown>('rules'), // the rules of a smart playlist in this version
    userId: integer('user_id')
      .$type<UserId>()
      .references(() => users.id, { onDelete: 'set null' }), // null if the library or a playlist file made the change
    createdAt: time('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.playlistId, t.version] })],
);

/** playlists/: title and artist of a track that was in a playlist when it left the library. Written by a trigger. */
export const playlistLostTracks = sqliteTable('playlist_lost_tracks', {
  trackId: integer('track_id').$type<TrackId>().primaryKey(),
  title: text('title').notNull(),
  artistName: text('artist_name'),
  albumTitle: text('album_title'),
  durationMs: integer('duration_ms'),
  recordingMbid: text('recording_mbid'),
  source: text('source').notNull(),
  sourceId: text('source_id').notNull(),
});
