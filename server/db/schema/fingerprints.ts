// Fingerprints of tracks, and the duplicates that they show.
import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { TrackId, UserId } from '../ids.ts';
import { users } from './accounts.ts';
import { blob, time } from './columns.ts';
import { tracks } from './tracks.ts';

/** enrichment/: the acoustic fingerprint of a track's audio. A trigger deletes the row when the audio is replaced. */
export const trackFingerprints = sqliteTable('track_fingerprints', {
  trackId: integer('track_id')
    .$type<TrackId>()
    .primaryKey()
    .references(() => tracks.id, { onDelete: 'cascade' }),
  version: text('version').notNull(), // `cp1` is Chromaprint, algorithm 1, of the first 120 s
  durationMs: integer('duration_ms').notNull(), // length of the whole track
  raw: blob('raw').notNull(), // little-endian uint32 numbers, one for every 0.124 s
  createdAt: time('created_at').notNull(),
});

/**
 * enrichment/: a few values of a fingerprint, by which tracks with similar audio are found, see
 * media/fingerprint-match.ts. The duration narrows the search.
 */
export const fingerprintPieces = sqliteTable(
  'fingerprint_pieces',
  {
    piece: integer('piece').notNull(),
    durationMs: integer('duration_ms').notNull(),
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => trackFingerprints.trackId, { onDelete: 'cascade' }),
  },
  (t) => [
    primaryKey({ columns: [t.piece, t.durationMs, t.trackId] }),
    index('fingerprint_pieces_track_id').on(t.trackId),
  ],
);

/**
 * enrichment/: two tracks whose fingerprints show that they have the same recording. The first track has the lower id.
 */
export const duplicatePairs = sqliteTable(
  'duplicate_pairs',
  {
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => trackFingerprints.trackId, { onDelete: 'cascade' }),
    otherId: integer('other_id')
      .$type<TrackId>()
      .notNull()
      .references(() => trackFingerprints.trackId, { onDelete: 'cascade' }),
    similarity: real('similarity').notNull(), // share of equal bits in the fingerprints, 0..1
  },
  (t) => [primaryKey({ columns: [t.trackId, t.otherId] }), index('duplicate_pairs_other_id').on(t.otherId)],
);

/** enrichment/: membership of a track in a group of duplicates. A trigger removes the last member of a group. */
export const duplicateMembers = sqliteTable(
  'duplicate_members',
  {
    trackId: integer('track_id')
      .$type<TrackId>()
      .primaryKey()
      .references(() => trackFingerprints.trackId, { onDelete: 'cascade' }),
    groupId: integer('group_id').notNull(), // the group that changed most recently has the highest id
  },
  (t) => [index('duplicate_members_group_id').on(t.groupId, t.trackId)],
);

/** enrichment/: two tracks that a person marked as no duplicates. The first track has the lower id. */
export const duplicateDismissals = sqliteTable(
  'duplicate_dismissals',
  {
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    otherId: integer('other_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    userId: integer('user_id')
      .$type<UserId>()
      .references(() => users.id, { onDelete: 'set null' }),
    createdAt: time('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.trackId, t.otherId] }),
    index('duplicate_dismissals_other_id').on(t.otherId),
    index('duplicate_dismissals_user_id').on(t.userId),
  ],
);
