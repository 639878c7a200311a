// The library as a whole: its identity, its totals, and the progress of work on all of it.
import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { JobId, TrackId } from '../ids.ts';
import { flag, json, time } from './columns.ts';
import type { ItemType } from './likes.ts';
import { tracks, type MetadataStatus } from './tracks.ts';

/** Items that are deleted when no track has their name any more. */
export type NamedItem = Extract<ItemType, 'album' | 'artist'>;

/** library/: percentiles of the energy (library/moods.ts) of all tracks. The table is empty until they are counted. */
export const energyRanks = sqliteTable('energy_ranks', {
  percent: integer('percent').primaryKey(), // 1..99
  energy: real('energy').notNull(), // 1..11
});

/**
 * db/: the id of the library, created with the database; backups and restores keep it. The table has at most one row.
 */
export const libraryIdentity = sqliteTable('library_identity', { id: text('id').primaryKey() });

/** library/: totals of tracks by source, status and format. Written only by triggers. A row may have 0 tracks. */
export const libraryTotals = sqliteTable(
  'library_totals',
  {
    source: text('source').notNull(),
    metadataStatus: text('metadata_status').$type<MetadataStatus>().notNull(),
    format: text('format').notNull(), // '' if the format is not known
    tracks: integer('tracks').notNull(),
    sizeBytes: integer('size_bytes').notNull(),
    durationMs: integer('duration_ms').notNull(),
  },
  (t) => [primaryKey({ columns: [t.source, t.metadataStatus, t.format] })],
);

/**
 * library/: how often the tables on which lists depend were written. Maintained by triggers. A cached list is valid as
 * long as the number stays the same.
 */
export const changeCounts = sqliteTable('change_counts', {
  topic: text('topic').$type<'library' | 'likes' | 'plays'>().primaryKey(),
  changes: integer('changes').notNull(),
});

/**
 * library/: progress of rebuilding the search tables after a migration changed them. There is no row when they are
 * complete. See library/search-rebuild.ts.
 */
export const searchRebuild = sqliteTable('search_rebuild', {
  kind: text('kind').$type<ItemType>().primaryKey(),
  lastId: integer('last_id').notNull(), // rows up to this id are done
});

/** library/: each word of the search index once, for the correction of typos. See search/typos.ts. */
export const searchWords = sqliteTable('search_words', {
  word: text('word').primaryKey(),
});

/**
 * library/: a track that left an album or artist by a change of its metadata. When the album or artist has no tracks
 * left, its annotations go where most of these tracks are. See library/annotations.ts.
 */
export const trackDepartures = sqliteTable(
  'track_departures',
  {
    itemType: text('item_type').$type<NamedItem>().notNull(),
    fromId: integer('from_id').notNull(), // id of the album or artist, which may have been deleted
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    toId: integer('to_id').notNull(), // id of the album or artist that the track has instead
    leftAt: time('left_at').notNull(),
    // whether other music was at the track's path until then, to which the names belonged
    isOtherMusic: flag('is_other_music').notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.itemType, t.fromId, t.trackId] }),
    index('track_departures_track_id').on(t.trackId),
    index('track_departures_left_at').on(t.leftAt),
  ],
);

/**
 * library/: a move of annotations from an album or artist without tracks to another one. They may be moved on or back.
 */
export const annotationMoves = sqliteTable(
  'annotation_moves',
  {
    itemType: text('item_type').$type<NamedItem>().notNull(),
    fromId: integer('from_id').notNull(),
    toId: integer('to_id').notNull(),
    // what is needed to move the annotations back, by the name of the annotation
    memory: json<unknown>('memory').notNull(),
    movedAt: time('moved_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.itemType, t.fromId] }), index('annotation_moves_moved_at').on(t.movedAt)],
);

/**
 * files/: progress of reading tags again after a migration added columns that tags may fill. There is no row when all
 * tracks are done. See files/reread-tags.ts.
 */
export const tagsAgain = sqliteTable('tags_again', {
  lastId: integer('last_id').primaryKey(), // tracks up to this id are done
  upToId: integer('up_to_id').notNull(), // tracks with higher ids were written with the new columns
});

/**
 * maintenance/: progress of the verification of stored audio, one row for the whole library and one for the daily part.
 */
export const verifyRuns = sqliteTable('verify_runs', {
  scope: text('scope').$type<'all' | 'part'>().primaryKey(),
  // The latest job. It continues after a stop. A new job starts from the beginning for `all`, and continues for `part`.
  jobId: integer('job_id').$type<JobId>().notNull(),
  afterId: integer('after_id').notNull(), // stored audio of tracks up to this id is verified
  // what the job has found so far (maintenance/verify-report.ts)
  tally: text('tally', { mode: 'json' }).$type<unknown>().notNull(),
  startedAt: time('started_at').notNull(),
  afterAlbumId: integer('after_album_id').notNull().default(0), // covers of albums up to this id are verified
  // rows of artist_pictures up to this id are verified
  afterPictureId: integer('after_picture_id').notNull().default(0),
});

/**
 * maintenance/: the SHA-256 of a whole file in a music folder, from the first verification of that version of the file.
 * The hash is valid as long as the file has the stored size and time: an edited file gets a new hash.
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
 * library/: the highest id of the tracks for which triggers maintain the counts of albums, artists and genres, and the
 * totals. The table has one row. A batch of new tracks is counted at its end, in the same transaction (see
 * library/new-track-counts.ts); outside of batches, all tracks are counted.
 */
export const countedTracks = sqliteTable('counted_tracks', {
  upTo: integer('up_to').notNull(),
});
