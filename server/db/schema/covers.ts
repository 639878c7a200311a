// Covers of albums.
import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { AlbumId } from '../ids.ts';
import { albums } from './artists-and-albums.ts';
import { flag, id, json, time } from './columns.ts';

/** covers/: what is known of an album's cover. A row without a key says that none was found when it was looked for. */
export const albumCovers = sqliteTable('album_covers', {
  albumId: integer('album_id')
    .$type<AlbumId>()
    .primaryKey()
    .references(() => albums.id, { onDelete: 'cascade' }),
  key: text('key'), // storage key, covers/{album_id}.{ext}
  etag: text('etag'), // hash of the picture's bytes
  origin: text('origin').$type<'embedded' | 'folder' | 'archive' | 'manual'>(),
  checkedAt: time('checked_at').notNull(),
});

/** covers/: an album without a cover that the cover archive was asked for, in vain. */
export const coverLookups = sqliteTable(
  'cover_lookups',
  {
    albumId: integer('album_id')
      .$type<AlbumId>()
      .primaryKey()
      .references(() => albums.id, { onDelete: 'cascade' }),
    // what was asked for; with another one it is asked again at once
    releaseGroupMbid: text('release_group_mbid').notNull(),
    // there is none, it cannot be a cover, no answer
    result: text('result').$type<'none' | 'unusable' | 'failed'>().notNull(),
    reason: text('reason'), // in words, for the last two
    tries: integer('tries').notNull(), // with the same result
    retryAt: time('retry_at').notNull(),
  },
  (t) => [index('cover_lookups_retry_at').on(t.retryAt)],
);

/**
 * covers/: a stored picture that is no album's or artist's any more, until it is deleted. Written by triggers; album 0
 * for the picture of an artist.
 */
export const orphanedCovers = sqliteTable('orphaned_covers', {
  key: text('key').primaryKey(),
  albumId: integer('album_id').$type<AlbumId>().notNull(), // whose it was
});

/**
 * covers/: what a person chose as the cover of an album that has no tracks any more, for 30 days: an album of the same
 * name, or the one that its tracks went to, takes it over. Written by a trigger.
 */
export const formerCovers = sqliteTable(
  'former_covers',
  {
    id: id(),
    albumId: integer('album_id').$type<AlbumId>().notNull(), // whose it was
    titleSort: text('title_sort').notNull(),
    artistKey: text('artist_key'), // artists.name_key
    year: integer('year'),
    key: text('key'), // storage key; null: no cover is wanted
    etag: text('etag'),
    removedAt: time('removed_at').notNull(),
    // the album that most of its tracks are in now, which gets the cover; null: one of the same name
    successorId: integer('successor_id').$type<AlbumId>(),
  },
  (t) => [
    index('former_covers_title_sort').on(t.titleSort),
    index('former_covers_successor_id')
      .on(t.successorId)
      .where(sql`successor_id IS NOT NULL`),
    index('former_covers_key')
      .on(t.key)
      .where(sql`key IS NOT NULL`),
    index('former_covers_removed_at').on(t.removedAt),
  ],
);

/** Who made a picture, and under which licence it may be shown. */
export interface PictureCredit {
  author: string | null;
  licence: string;
  licenceUrl: string | null;
  /** The page about the picture. */
  pageUrl: string | null;
}

/**
 * covers/: the picture of an artist, and the one before it, so that a change can be undone. By name: an artist who
 * loses all tracks may come back with another id.
 */
export const artistPictures = sqliteTable(
  'artist_pictures',
  {
    id: id(),
    artistKey: text('artist_key').notNull(), // artists.name_key
    isCurrent: flag('is_current').notNull(),
    key: text('key'), // storage key; null: there is none
    etag: text('etag'), // hash of the picture's bytes
    origin: text('origin').$type<'folder' | 'commons' | 'manual'>(), // null: none was found
    source: text('source'), // path in the music folders, or the name of the file on Commons
    credit: json<PictureCredit>('credit'),
    setAt: time('set_at').notNull(),
  },
  (t) => [
    index('artist_pictures_artist_key').on(t.artistKey, t.isCurrent),
    index('artist_pictures_key')
      .on(t.key)
      .where(sql`key IS NOT NULL`),
  ],
);
