// Radio stations.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { RadioStationId, UserId } from '../ids.ts';
import { users } from './accounts.ts';
import { id, time } from './columns.ts';

/** radio/: a station on the internet; everybody's. */
export const radioStations = sqliteTable('radio_stations', {
  id: id<RadioStationId>(),
  name: text('name').notNull(),
  streamUrl: text('stream_url').notNull(),
  homePageUrl: text('home_page_url'),
  createdAt: time('created_at').notNull(),
  // null: it came with an import, or the account is gone
  addedBy: integer('added_by')
    .$type<UserId>()
    .references(() => users.id, { onDelete: 'set null' }),
});
