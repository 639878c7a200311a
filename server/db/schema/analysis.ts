// The analysis of audio.
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { TrackId } from '../ids.ts';
import { tracks } from './tracks.ts';

/** analysis/: a step of the analysis that has been through a track's audio. */
export const trackAnalyses = sqliteTable(
  'track_analyses',
  {
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    step: text('step').notNull(),
    version: integer('version').notNull(), // of the step: another one is due again
    audioHash: text('audio_hash').notNull(), // of the track then: other audio is due again
    outcome: text('outcome').$type<'done' | 'none'>().notNull(),
    reason: text('reason'), // why this audio has no result
  },
  (t) => [primaryKey({ columns: [t.trackId, t.step] })],
);
