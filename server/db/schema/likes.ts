// Likes and ratings.
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { UserId } from '../ids.ts';
import { users } from './accounts.ts';
import { flag, time } from './columns.ts';

export type ItemType = 'track' | 'album' | 'artist';
export type RatingOrigin = 'person' | 'tag';

/** likes/: a like, un-like or rating by a person. Rows are never updated or deleted. */
export const likeEvents = sqliteTable(
  'like_events',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    userId: integer('user_id')
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    itemType: text('item_type').$type<ItemType>().notNull(),
    itemId: integer('item_id').notNull(),
    liked: flag('liked').notNull(),
    rating: integer('rating'), // 0..5; null if the rating did not change
    createdAt: time('created_at').notNull(),
  },
  (t) => [index('like_events_user_id').on(t.userId, t.id)],
);

/** likes/: the current like and rating of an item, computed from its events. */
export const likeStates = sqliteTable(
  'like_states',
  {
    userId: integer('user_id')
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    itemType: text('item_type').$type<ItemType>().notNull(),
    itemId: integer('item_id').notNull(),
    liked: flag('liked').notNull(),
    /** 0 to 5 in halves: SQLite keeps 3.5 as it is in a column of integers. */
    rating: integer('rating').notNull().default(0),
    since: time('since').notNull(),
    /** Where the rating is from. Null if the item was never rated; `person` also if a person removed the rating. */
    ratingOrigin: text('rating_origin').$type<RatingOrigin>(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.itemType, t.itemId] }),
    index('like_states_liked').on(t.userId, t.itemType, t.liked, t.since),
    index('like_states_rating')
      .on(t.userId, t.itemType, t.rating, t.itemId)
      .where(sql`${t.rating} > 0`),
  ],
);

/**
 * likes/: the star and rating of a folder with the music of several artists, which only Subsonic clients show. Folder 0
 * stands for the uploads.
 */
export const folderLikes = sqliteTable(
  'folder_likes',
  {
    userId: integer('user_id')
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    folderId: integer('folder_id').notNull(),
    likedAt: time('liked_at'),
    rating: integer('rating').notNull().default(0), // 0..5
  },
  (t) => [primaryKey({ columns: [t.userId, t.folderId] })],
);
