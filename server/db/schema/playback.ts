// Play queues and bookmarks.
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { TrackId, UserId } from '../ids.ts';
import { users } from './accounts.ts';
import { time } from './columns.ts';
import { tracks } from './tracks.ts';

/** playback/: a person's play queue, to be continued on another device. Its tracks may have been deleted. */
export const playQueues = sqliteTable('play_queues', {
  userId: integer('user_id')
    .$type<UserId>()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  trackIds: text('track_ids').notNull(), // a JSON array in one text, because every save writes the whole queue
  currentIndex: integer('current_index').notNull(), // 0 when the queue is empty
  positionMs: integer('position_ms').notNull(),
  client: text('client'),
  updatedAt: time('updated_at').notNull(),
  listening: text('listening'), // JSON of QueueListening for the current track
});

/** playback/: a bookmark, a position in a track. */
export const bookmarks = sqliteTable(
  'bookmarks',
  {
    userId: integer('user_id')
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    positionMs: integer('position_ms').notNull(),
    comment: text('comment'),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.trackId] }),
    index('bookmarks_track_id').on(t.trackId),
    index('bookmarks_updated_at').on(t.userId, t.updatedAt, t.trackId),
  ],
);
