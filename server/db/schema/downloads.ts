// Downloads of remote tracks.
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { DownloadId, JobId, TrackId, UserId } from '../ids.ts';
import { users } from './accounts.ts';
import { id, time } from './columns.ts';
import { tracks } from './tracks.ts';

/**
 * downloads/: a download of a remote track's audio. Triggers copy the columns from status to next_attempt_at from its
 * job.
 */
export const downloads = sqliteTable(
  'downloads',
  {
    id: id<DownloadId>(),
    source: text('source').notNull(),
    sourceId: text('source_id').notNull(),
    trackId: integer('track_id')
      .$type<TrackId>()
      .references(() => tracks.id, { onDelete: 'set null' }),
    userId: integer('user_id')
      .$type<UserId>()
      .references(() => users.id, { onDelete: 'set null' }),
    status: text('status').$type<'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled'>().notNull(),
    attempts: integer('attempts').notNull().default(0),
    maxAttempts: integer('max_attempts').notNull().default(5),
    bytesDone: integer('bytes_done').notNull().default(0),
    bytesTotal: integer('bytes_total'),
    error: text('error'),
    nextAttemptAt: time('next_attempt_at'),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
    jobId: integer('job_id').$type<JobId>(), // the latest job, which may have been deleted
  },
  (t) => [
    index('downloads_track_id').on(t.trackId),
    index('downloads_created_at').on(t.createdAt, t.id),
    index('downloads_job_id').on(t.jobId),
    index('downloads_status').on(t.status, t.id),
    uniqueIndex('downloads_track_id_unfinished')
      .on(t.trackId)
      .where(sql`status IN ('queued', 'running', 'waiting')`),
  ],
);

/** downloads/: the id that a saved track has in its catalogue. The row stays after a merge of the track. */
export const remoteIds = sqliteTable(
  'remote_ids',
  {
    source: text('source').notNull(),
    sourceId: text('source_id').notNull(), // `<provider>:<id>`
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    pageUrl: text('page_url'), // the track's page in the catalogue, which is passed to the extractor
  },
  (t) => [primaryKey({ columns: [t.source, t.sourceId] }), index('remote_ids_track_id').on(t.trackId)],
);
