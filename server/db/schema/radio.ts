// Radio stations.
import { sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { RadioStationId } from '../ids.ts';
import { id, time } from './columns.ts';

/** radio/: a station on the internet; everybody's. */
export const radioStations = sqliteTable('radio_stations', {
  id: id<RadioStationId>(),
  name: text('name').notNull(),
  streamUrl: text('stream_url').notNull(),
  homePageUrl: text('home_page_url'),
  createdAt: time('created_at').notNull(),
});
