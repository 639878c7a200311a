// Playlists and their versions.
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { PlaylistId, TrackId, UserId } from '../ids.ts';
import { users } from './accounts.ts';
import { flag, id, json, time } from './columns.ts';
import { tracks } from './tracks.ts';

/** playlists/: a list of tracks that belongs to a person. */
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
    isPublic: flag('is_public').notNull().default(false), // everybody may read it
    version: integer('version').notNull().default(1),
    rules: json<unknown>('rules'), // of a smart playlist, as on the wire; null for an ordinary one
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
    trackCount: integer('track_count').notNull().default(0), // this and the next kept by triggers; 0 for a smart one
    durationMs: integer('duration_ms').notNull().default(0),
    deletedAt: time('deleted_at'), // kept, so that it can be brought back
    publicSinceVersion: integer('public_since_version'), // the first version that others may read; null: none
  },
  (t) => [
    index('playlists_owner_id').on(t.ownerId, t.id),
    index('playlists_public')
      .on(t.id)
      .where(sql`is_public = 1`),
  ],
);

/** playlists/: a track's place in a list as it is now. */
export const playlistEntries = sqliteTable(
  'playlist_entries',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    playlistId: integer('playlist_id')
      .$type<PlaylistId>()
      .notNull()
      .references(() => playlists.id, { onDelete: 'cascade' }),
    position: integer('position').notNull(), // orders, with wide gaps between; see playlists/positions.ts
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    addedAt: time('added_at').notNull(),
    sinceVersion: integer('since_version').notNull().default(1), // of the list, since when it is at this place
  },
  (t) => [
    index('playlist_entries_position').on(t.playlistId, t.position, t.id),
    index('playlist_entries_track_id').on(t.trackId),
  ],
);

/**
 * playlists/: a place that a track had from one version of a list until another. Together with the entries it is every
 * version there ever was.
 */
export const playlistPastEntries = sqliteTable(
  'playlist_past_entries',
  {
    playlistId: integer('playlist_id')
      .$type<PlaylistId>()
      .notNull()
      .references(() => playlists.id, { onDelete: 'cascade' }),
    untilVersion: integer('until_version').notNull(), // the first version without it
    entryId: integer('entry_id').notNull(),
    sinceVersion: integer('since_version').notNull(),
    position: integer('position').notNull(),
    trackId: integer('track_id').$type<TrackId>().notNull(), // follows merges; the track may have left the library
    addedAt: time('added_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.playlistId, t.untilVersion, t.entryId] }),
    index('playlist_past_entries_track_id').on(t.trackId),
    index('playlist_past_entries_position').on(t.playlistId, t.position),
  ],
);

/** What made a version of a playlist. */
export type PlaylistChange =
  | 'create'
  | 'add'
  | 'remove'
  | 'reorder'
  | 'replace'
  | 'restore'
  | 'import'
  | 'rules'
  | 'track_deleted'
  | 'track_restored';

/** playlists/: every version a list ever had, and what made it. Append-only. */
export const playlistVersions = sqliteTable(
  'playlist_versions',
  {
    playlistId: integer('playlist_id')
      .$type<PlaylistId>()
      .notNull()
      .references(() => playlists.id, { onDelete: 'cascade' }),
    version: integer('version').notNull(),
    change: text('change').$type<PlaylistChange>().notNull(),
    added: integer('added').notNull(), // entries; this and the next two against the version before
    removed: integer('removed').notNull(),
    moved: integer('moved').notNull(),
    trackCount: integer('track_count').notNull(), // then
    rules: json<unknown>('rules'), // of a smart playlist then
    userId: integer('user_id')
      .$type<UserId>()
      .references(() => users.id, { onDelete: 'set null' }), // null: the library did it
    createdAt: time('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.playlistId, t.version] })],
);

/** playlists/: what a track was that some list had when it left the library. Written by a trigger. */
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
