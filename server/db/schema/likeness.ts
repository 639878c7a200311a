// Exclusions from radio and mixes, and daily mixes.
import { integer, sqliteTable, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { ArtistId, TrackId, UserId } from '../ids.ts';
import { users } from './accounts.ts';
import { artists } from './artists-and-albums.ts';
import { json, time } from './columns.ts';
import { tracks } from './tracks.ts';

/** likeness/: a track or an artist that radio and mixes do not play for a person. One of the two ids is null. */
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

/**
 * likeness/: the daily mixes of a person. They stay until the day is over; if the row is missing, new mixes are made.
 */
export const dailyMixes = sqliteTable('daily_mixes', {
  userId: integer('user_id')
    .$type<UserId>()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  day: integer('day').notNull(), // days since 1970 in the person's time zone; also the seed for random choices
  madeAt: time('made_at').notNull(),
  endsAt: time('ends_at').notNull(), // when the day ends
  mixes: json<unknown>('mixes').notNull(), // described in likeness/stored-mixes.ts
});
