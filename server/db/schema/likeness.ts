// What listeners do not want to hear, and what was mixed for them.
import { integer, sqliteTable, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { ArtistId, TrackId, UserId } from '../ids.ts';
import { users } from './accounts.ts';
import { artists } from './artists-and-albums.ts';
import { json, time } from './columns.ts';
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

/** likeness/: the mixes of a person's day. They stay until it is over; without a row they are made anew. */
export const dailyMixes = sqliteTable('daily_mixes', {
  userId: integer('user_id')
    .$type<UserId>()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  day: integer('day').notNull(), // days since 1970 where the person was; chance depends on it
  madeAt: time('made_at').notNull(),
  endsAt: time('ends_at').notNull(), // when the day was over there
  mixes: json<unknown>('mixes').notNull(), // likeness/stored-mixes.ts
});
