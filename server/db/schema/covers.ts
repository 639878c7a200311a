// Covers of albums.
import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { AlbumId } from '../ids.ts';
import { albums } from './artists-and-albums.ts';
import { flag, id, json, time } from './columns.ts';

/** covers/: the cover of an album. A row without a key means that the search found no cover. */
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

/** covers/: a failed look-up in the cover archive for an album without a cover. */
export const coverLookups = sqliteTable(
  'cover_lookups',
  {
    albumId: integer('album_id')
      .$type<AlbumId>()
      .primaryKey()
      .references(() => albums.id, { onDelete: 'cascade' }),
    // the release group that was looked up; a different one is looked up at once
    releaseGroupMbid: text('release_group_mbid').notNull(),
    // `none`: the archive has no cover; `unusable`: its picture cannot be a cover; `failed`: no answer
    result: text('result').$type<'none' | 'unusable' | 'failed'>().notNull(),
    reason: text('reason'), // set for `unusable` and `failed`
    tries: integer('tries').notNull(), // consecutive look-ups with the same result
    retryAt: time('retry_at').notNull(),
  },
  (t) => [index('cover_lookups_retry_at').on(t.retryAt)],
);

/** covers/: a stored picture that no album or artist uses any more and that is to be deleted. Written by triggers. */
export const orphanedCovers = sqliteTable('orphaned_covers', {
  key: text('key').primaryKey(),
  // the album that had the picture; 0 for the picture of an artist
  albumId: integer('album_id').$type<AlbumId>().notNull(),
});

/**
 * covers/: the cover of an album that has no tracks any more: one that a person chose, or one that was found, if the
 * tracks are in other albums now. The row stays for 30 days, unless an album of the same name, or the album with most
 * of its tracks, takes the cover over. Written by a trigger.
 */
export const formerCovers = sqliteTable(
  'former_covers',
  {
    id: id(),
    albumId: integer('album_id').$type<AlbumId>().notNull(), // the album that had the cover
    titleSort: text('title_sort').notNull(),
    artistKey: text('artist_key'), // artists.name_key
    year: integer('year'),
    key: text('key'), // storage key; null if the person removed the cover
    etag: text('etag'),
    removedAt: time('removed_at').notNull(),
    // the album that has most of its tracks and gets the cover; if null, an album of the same name gets it
    successorId: integer('successor_id').$type<AlbumId>(),
    // of a cover that was found, as in album_covers; null for a cover that a person chose
    foundIn: text('found_in').$type<'embedded' | 'folder' | 'archive'>(),
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

/** Author and licence of a picture. */
export interface PictureCredit {
  author: string | null;
  licence: string;
  licenceUrl: string | null;
  /** The page about the picture. */
  pageUrl: string | null;
}

/**
 * covers/: the current picture of an artist, or the previous one, with which a change can be undone. The key is the
 * name, because an artist who loses all tracks may come back with another id.
 */
export const artistPictures = sqliteTable(
  'artist_pictures',
  {
    id: id(),
    artistKey: text('artist_key').notNull(), // artists.name_key
    isCurrent: flag('is_current').notNull(),
    key: text('key'), // storage key; null if the artist has no picture
    etag: text('etag'), // hash of the picture's bytes
    origin: text('origin').$type<'folder' | 'commons' | 'manual'>(), // null if no picture was found
    source: text('source'), // path in the music folders, or the name of the file on Wikimedia Commons
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
