// Identification of tracks: look-ups, reviews, undo.
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { TrackId } from '../ids.ts';
import { json, time } from './columns.ts';
import { tracks } from './tracks.ts';

/** enrichment/: the candidates for a track from the last look-up. `n` is 1 for the best candidate. */
export const enrichmentMatches = sqliteTable(
  'enrichment_matches',
  {
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    n: integer('n').notNull(),
    match: json<unknown>('match').notNull(), // described in enrichment/match.ts
  },
  (t) => [primaryKey({ columns: [t.trackId, t.n] })],
);

export type ReviewReason = 'low_score' | 'tags_disagree';

/** enrichment/: a track that a person should review. A trigger deletes the row when the track is edited by hand. */
export const enrichmentReviews = sqliteTable(
  'enrichment_reviews',
  {
    trackId: integer('track_id')
      .$type<TrackId>()
      .primaryKey()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    reason: text('reason').$type<ReviewReason>().notNull(),
    match: json<unknown>('match').notNull(), // the metadata of the best match at the service
    differences: json<unknown>('differences').notNull(), // [{field, tag, match}]
    createdAt: time('created_at').notNull(),
    // when a person dismissed the review, which stays hidden while the best match stays the same
    dismissedAt: time('dismissed_at'),
  },
  (t) => [
    index('enrichment_reviews_open')
      .on(t.createdAt, t.trackId)
      .where(sql`dismissed_at IS NULL`),
  ],
);

/**
 * enrichment/: the fields of a track before the last enrichment that changed it. A trigger deletes the row when the
 * track is changed in any other way.
 */
export const enrichmentUndo = sqliteTable('enrichment_undo', {
  trackId: integer('track_id')
    .$type<TrackId>()
    .primaryKey()
    .references(() => tracks.id, { onDelete: 'cascade' }),
  previous: json<unknown>('previous').notNull(),
  createdAt: time('created_at').notNull(),
});

/** enrichment/: a track that has to be looked up again, because a service (look-up or details) was down. */
export const enrichmentUnanswered = sqliteTable('enrichment_unanswered', {
  trackId: integer('track_id')
    .$type<TrackId>()
    .primaryKey()
    .references(() => tracks.id, { onDelete: 'cascade' }),
  askedAt: time('asked_at').notNull(),
});
