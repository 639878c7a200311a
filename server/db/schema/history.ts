// Plays, their counts, imports and scrobbling.
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { HistoryImportId, PlayId, TrackId, UserId } from '../ids.ts';
import { users } from './accounts.ts';
import { blob, flag, id, json, time } from './columns.ts';
import type { ItemType } from './likes.ts';
import { tracks } from './tracks.ts';

/**
 * history/: a play. Title and artist are copied, since the track may be deleted later, or may not exist yet (after an
 * import). Rows are never deleted.
 */
export const plays = sqliteTable(
  'plays',
  {
    id: id<PlayId>(),
    userId: integer('user_id')
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    trackId: integer('track_id')
      .$type<TrackId>()
      .references(() => tracks.id, { onDelete: 'set null' }),
    title: text('title').notNull(),
    artistName: text('artist_name'),
    playedAt: time('played_at').notNull(), // when the play began
    playedMs: integer('played_ms'), // how long the track was played; null when the client did not say
    client: text('client'),
    albumTitle: text('album_title'),
    durationMs: integer('duration_ms'), // length of the track when it was played
    recordingMbid: text('recording_mbid'),
    songKey: integer('song_key'), // hash of the folded artist and title, see history/song-names.ts
    // when the play was withdrawn; such a play is not counted, and is not reported again
    withdrawnAt: time('withdrawn_at'),
    // whether the REST client or the server set the time of the play; null for plays from elsewhere, and those of
    // earlier versions
    restTime: text('rest_time').$type<'sent' | 'server'>(),
    playId: text('play_id'), // an id that the client chooses for each play
  },
  (t) => [
    // not a partial index, because queries would have to read the rows
    index('plays_user_played_at').on(t.userId, t.withdrawnAt, t.playedAt, t.id),
    index('plays_track_id').on(t.trackId, t.userId, t.playedAt),
    uniqueIndex('plays_once').on(t.userId, t.songKey, t.playedAt),
    uniqueIndex('plays_play_id')
      .on(t.userId, t.playId)
      .where(sql`play_id IS NOT NULL`),
    index('plays_unmatched')
      .on(t.songKey, t.id)
      .where(sql`track_id IS NULL`),
  ],
);

/** Types of items with play counts. `all` (with id 0) stands for everything that a person played. */
export type PlayedType = ItemType | 'all';

/** history/: how often, and when last, a person played an item. Maintained by triggers. */
export const playCounts = sqliteTable(
  'play_counts',
  {
    userId: integer('user_id')
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    itemType: text('item_type').$type<PlayedType>().notNull(),
    itemId: integer('item_id').notNull(),
    plays: integer('plays').notNull(),
    lastPlayedAt: time('last_played_at').notNull(), // 0 if unknown, for plays that only tags count
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.itemType, t.itemId] }),
    index('play_counts_plays').on(t.userId, t.itemType, t.plays, t.itemId),
    index('play_counts_last').on(t.userId, t.itemType, t.lastPlayedAt, t.itemId),
  ],
);

/**
 * history/: the plays of a track that its tags count, for the account to which they belong. They are part of
 * `play_counts`, but not of the history, since their times are unknown.
 */
export const tagPlays = sqliteTable(
  'tag_plays',
  {
    userId: integer('user_id')
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    plays: integer('plays').notNull(),
    lastPlayedAt: integer('last_played_at').notNull().default(0), // in ms; 0 if unknown
  },
  (t) => [primaryKey({ columns: [t.trackId, t.userId] })],
);

export type HistoryImportStatus = 'queued' | 'running' | 'done' | 'failed';

/**
 * history/: an import of plays from another service, and its result. The imported file is deleted after it was read.
 */
export const historyImports = sqliteTable(
  'history_imports',
  {
    id: id<HistoryImportId>(),
    userId: integer('user_id')
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    filename: text('filename').notNull(),
    status: text('status').$type<HistoryImportStatus>().notNull(),
    bytesDone: integer('bytes_done').notNull().default(0),
    bytesTotal: integer('bytes_total').notNull(),
    added: integer('added').notNull().default(0),
    known: integer('known').notNull().default(0), // number of plays that were in the history already
    unmatched: integer('unmatched').notNull().default(0), // number of added plays without a track in the library
    unreadable: integer('unreadable').notNull().default(0),
    // the most played songs among them: [{title, artist_name, plays}]
    unmatchedSongs: json<unknown>('unmatched_songs').notNull(),
    error: text('error'),
    createdAt: time('created_at').notNull(),
    finishedAt: time('finished_at'),
  },
  (t) => [index('history_imports_user_id').on(t.userId, t.id)],
);

/** scrobbling/: a person's account at a scrobbling service. */
export const scrobbleAccounts = sqliteTable(
  'scrobble_accounts',
  {
    userId: integer('user_id')
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    service: text('service').notNull(), // name of the service, see scrobbling/scrobblers.ts
    token: blob('token').notNull(), // encrypted, see config/sealed-text.ts
    tokenSalt: blob('token_salt').notNull(),
    username: text('username').notNull(), // the person's name at the service
    url: text('url'), // address of the person's own server
    syncLoves: flag('sync_loves').notNull().default(false),
    lovesSyncedAt: time('loves_synced_at'),
    problem: text('problem'), // a sentence for the person; null if there is no problem
    // whether the service has refused the token, so that nothing is sent until the person signs in again
    isStopped: flag('is_stopped').notNull().default(false),
    submitted: integer('submitted').notNull().default(0),
    lastSubmittedAt: time('last_submitted_at'),
    createdAt: time('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.service] })],
);

/** scrobbling/: a play that has not been reported to the scrobbling service yet. */
export const scrobbleQueue = sqliteTable(
  'scrobble_queue',
  {
    playId: integer('play_id')
      .$type<PlayId>()
      .notNull()
      .references(() => plays.id, { onDelete: 'cascade' }),
    service: text('service').notNull(),
    userId: integer('user_id')
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    refusal: text('refusal'), // why the service refused the play, which is not sent again
    // whether the play was sent without an answer, so that the service may have it
    isSent: flag('is_sent').notNull().default(false),
    // how often this play alone failed; plays with fewer failures are sent first
    failures: integer('failures').notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.playId, t.service] }),
    index('scrobble_queue_user_id').on(t.userId, t.service, t.refusal, t.failures, t.playId),
    index('scrobble_queue_refused')
      .on(t.userId, t.service, t.playId)
      .where(sql`refusal IS NOT NULL`),
  ],
);

/** scrobbling/: a song that was loved at the service when its loves and the likes here were last compared. */
export const scrobbleLoves = sqliteTable(
  'scrobble_loves',
  {
    userId: integer('user_id')
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    service: text('service').notNull(),
    songKey: integer('song_key').notNull(), // see history/song-names.ts
    title: text('title').notNull(),
    artistName: text('artist_name').notNull(),
    recordingMbid: text('recording_mbid'),
    isListed: flag('is_listed').notNull(), // whether the service lists the song under this name
  },
  (t) => [primaryKey({ columns: [t.userId, t.service, t.songKey] })],
);
