// Genres of tracks and albums.
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { AlbumId, GenreId, TrackId } from '../ids.ts';
import { albums } from './artists-and-albums.ts';
import { id } from './columns.ts';
import { tracks } from './tracks.ts';

/** library/: a genre, in the spelling of one of its tracks. */
export const genres = sqliteTable(
  'genres',
  {
    id: id<GenreId>(),
    name: text('name').notNull(),
    nameKey: text('name_key').notNull(),
    trackCount: integer('track_count').notNull().default(0), // number of tracks; maintained by triggers
  },
  (t) => [uniqueIndex('genres_name_key_unique').on(t.nameKey)],
);

/** library/: a genre of a track; the first one is the main genre. */
export const trackGenres = sqliteTable(
  'track_genres',
  {
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    position: integer('position').notNull(),
    genreId: integer('genre_id')
      .$type<GenreId>()
      .notNull()
      .references(() => genres.id),
  },
  (t) => [primaryKey({ columns: [t.trackId, t.position] }), index('track_genres_genre_id').on(t.genreId, t.trackId)],
);

/** library/: a genre of an album's tracks. Written only by triggers on tracks and track_genres. */
export const albumGenres = sqliteTable(
  'album_genres',
  {
    genreId: integer('genre_id')
      .$type<GenreId>()
      .notNull()
      .references(() => genres.id),
    albumId: integer('album_id')
      .$type<AlbumId>()
      .notNull()
      .references(() => albums.id, { onDelete: 'cascade' }),
    trackCount: integer('track_count').notNull(), // tracks of the album that have the genre
  },
  (t) => [primaryKey({ columns: [t.genreId, t.albumId] }), index('album_genres_album_id').on(t.albumId)],
);
