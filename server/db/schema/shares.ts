// Shares: tracks for people without an account.
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { ShareId, TrackId, UserId } from '../ids.ts';
import { users } from './accounts.ts';
import { flag, id, time } from './columns.ts';
import { tracks } from './tracks.ts';

export const SHARE_KINDS = ['track', 'album', 'artist', 'genre', 'playlist', 'folder'] as const;
export type ShareKind = (typeof SHARE_KINDS)[number];

/** shares/: a share of tracks with people without an account, who open it by an address that cannot be guessed. */
export const shares = sqliteTable(
  'shares',
  {
    id: id<ShareId>(),
    token: text('token').notNull(), // the secret part of the address
    userId: integer('user_id')
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    description: text('description'),
    expiresAt: time('expires_at'), // null if the share never expires
    lastVisitedAt: time('last_visited_at'),
    visitCount: integer('visit_count').notNull().default(0),
    createdAt: time('created_at').notNull(),
    /** What was shared, for its name on the page; null for a selection, and for shares that Subsonic clients made. */
    kind: text('kind', { enum: SHARE_KINDS }),
    endedAt: time('ended_at'), // null unless its owner ended the share
    passwordHash: text('password_hash'), // null if the address alone opens the share
    maySave: flag('may_save').notNull().default(true), // whether guests may save the audio
    playCount: integer('play_count').notNull().default(0),
  },
  (t) => [uniqueIndex('shares_token_unique').on(t.token), index('shares_user_id').on(t.userId, t.id)],
);

/** shares/: the tracks of a share, as they were when it was created. */
export const shareTracks = sqliteTable(
  'share_tracks',
  {
    shareId: integer('share_id')
      .$type<ShareId>()
      .notNull()
      .references(() => shares.id, { onDelete: 'cascade' }),
    position: integer('position').notNull(),
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
  },
  (t) => [primaryKey({ columns: [t.shareId, t.position] }), index('share_tracks_track_id').on(t.trackId)],
);
