// Radio stations.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { RadioStationId, UserId } from '../ids.ts';
import { users } from './accounts.ts';
import { id, time } from './columns.ts';

/** radio/: an internet radio station, which all accounts share. */
export const radioStations = sqliteTable('radio_stations', {
  id: id<RadioStationId>(),
  name: text('name').notNull(),
  streamUrl: text('stream_url').notNull(),
  homePageUrl: text('home_page_url'),
  createdAt: time('created_at').notNull(),
  // null if the station was imported, or the account was deleted
  addedBy: integer('added_by')
    .$type<UserId>()
    .references(() => users.id, { onDelete: 'set null' }),
});
