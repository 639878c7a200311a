// The library as a whole: its identity, its totals, and how far work on all of it came.
import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { JobId, TrackId } from '../ids.ts';
import { flag, json, time } from './columns.ts';
import type { ItemType } from './likes.ts';
import { tracks, type MetadataStatus } from './tracks.ts';

/** What has a name, and goes when no track has that name any more. */
export type NamedItem = Extract<ItemType, 'album' | 'artist'>;

/** library/: the energy (library/moods.ts) that so many percent of the tracks are below; empty until counted. */
export const energyRanks = sqliteTable('energy_ranks', {
  percent: integer('percent').primaryKey(), // 1..99
  energy: real('energy').notNull(), // 1..11
});

/** db/: which library this is, made with the database and taken along by backup and restore; at most one row. */
export const libraryIdentity = sqliteTable('library_identity', { id: text('id').primaryKey() });

/**
 * library/: how much there is of each source, status and format; written by triggers alone. A row may have come down to
 * 0 tracks.
 */
export const libraryTotals = sqliteTable(
  'library_totals',
  {
    source: text('source').notNull(),
    metadataStatus: text('metadata_status').$type<MetadataStatus>().notNull(),
    format: text('format').notNull(), // '' where it is not known
    tracks: integer('tracks').notNull(),
    sizeBytes: integer('size_bytes').notNull(),
    durationMs: integer('duration_ms').notNull(),
  },
  (t) => [primaryKey({ columns: [t.source, t.metadataStatus, t.format] })],
);

/**
 * library/: how often what lists depend on was written; kept by triggers. An answer that was kept holds as long as the
 * number stays.
 */
export const changeCounts = sqliteTable('change_counts', {
  topic: text('topic').$type<'library' | 'likes' | 'plays'>().primaryKey(),
  changes: integer('changes').notNull(),
});

/**
 * library/: how far the search tables are rebuilt, after a migration changed them; no row once they are whole. See
 * library/search-rebuild.ts.
 */
export const searchRebuild = sqliteTable('search_rebuild', {
  kind: text('kind').$type<ItemType>().primaryKey(),
  lastId: integer('last_id').notNull(), // up to here it is done
});

/**
 * library/: a track that left an album or artist by a change of its metadata. When the album or artist has no tracks
 * left, its annotations go where most of these tracks are. See library/annotations.ts.
 */
export const trackDepartures = sqliteTable(
  'track_departures',
  {
    itemType: text('item_type').$type<NamedItem>().notNull(),
    fromId: integer('from_id').notNull(), // album or artist, maybe gone
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    toId: integer('to_id').notNull(), // album or artist that took its place in the track
    leftAt: time('left_at').notNull(),
    // other music, which lay in the place of the track until then, had these names
    isOtherMusic: flag('is_other_music').notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.itemType, t.fromId, t.trackId] }),
    index('track_departures_track_id').on(t.trackId),
    index('track_departures_left_at').on(t.leftAt),
  ],
);

/** library/: the annotations of an album or artist without tracks went to another one, and may go on or back. */
export const annotationMoves = sqliteTable(
  'annotation_moves',
  {
    itemType: text('item_type').$type<NamedItem>().notNull(),
    fromId: integer('from_id').notNull(),
    toId: integer('to_id').notNull(),
    memory: json<unknown>('memory').notNull(), // what it takes to take them back, by the name of the annotation
    movedAt: time('moved_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.itemType, t.fromId] }), index('annotation_moves_moved_at').on(t.movedAt)],
);

/**
 * files/: tracks from before a migration added columns that their files' tags may fill; no row once they are read
 * again. See files/reread-tags.ts.
 */
export const tagsAgain = sqliteTable('tags_again', {
  lastId: integer('last_id').primaryKey(), // up to here it is done
  upToId: integer('up_to_id').notNull(), // later tracks were written with the columns
});

/**
 * maintenance/: how far the comparison of stored audio with its checksums came: of the whole library, and of the daily
 * part.
 */
export const verifyRuns = sqliteTable('verify_runs', {
  scope: text('scope').$type<'all' | 'part'>().primaryKey(),
  // the latest one; it goes on after a stop, another begins anew (all) or goes on too (part)
  jobId: integer('job_id').$type<JobId>().notNull(),
  afterId: integer('after_id').notNull(), // tracks up to this id are done
  // what that job has found so far (maintenance/verify-report.ts)
  tally: text('tally', { mode: 'json' }).$type<unknown>().notNull(),
  startedAt: time('started_at').notNull(),
  afterAlbumId: integer('after_album_id').notNull().default(0), // covers of albums up to this one
  afterPictureId: integer('after_picture_id').notNull().default(0), // pictures of artists (artist_pictures.id)
});

/**
 * maintenance/: the SHA-256 of the whole file in a music folder that a track refers to, from the first verify of the
 * file as it is. Counts as long as size and time are those of the file: a file that was edited gets another one.
 */
export const fileSums = sqliteTable('file_sums', {
  trackId: integer('track_id')
    .$type<TrackId>()
    .primaryKey()
    .references(() => tracks.id, { onDelete: 'cascade' }),
  sizeBytes: integer('size_bytes').notNull(),
  mtimeUs: integer('mtime_us').notNull(),
  sha256: text('sha256').notNull(),
});

/**
 * library/: the highest id of the tracks that are in the counts of albums, artists and genres, and in the totals: kept
 * by triggers up to there. One row. A batch of new tracks is counted at its end, in the same transaction (see
 * library/new-track-counts.ts); outside of it, every track is included.
 */
export const countedTracks = sqliteTable('counted_tracks', {
  upTo: integer('up_to').notNull(),
});
