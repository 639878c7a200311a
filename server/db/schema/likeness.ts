// What listeners do not want to hear.
import { integer, sqliteTable, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { ArtistId, TrackId, UserId } from '../ids.ts';
import { users } from './accounts.ts';
import { artists } from './artists-and-albums.ts';
import { time } from './columns.ts';
import { tracks } from './tracks.ts';

/** likeness/: a track or an artist that no radio and no mix plays for a person; one of the two ids is null. */
export const radioNevers = sqliteTable(
  'radio_nevers',
  {
    userId: integer('user_id')
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    trackId: integer('track_id')
      .$type<TrackId>()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    artistId: integer('artist_id')
      .$type<ArtistId>()
      .references(() => artists.id, { onDelete: 'cascade' }),
    createdAt: time('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('radio_nevers_track').on(t.trackId, t.userId),
    uniqueIndex('radio_nevers_artist').on(t.artistId, t.userId),
  ],
);
