// Artists and albums.
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { AlbumId, ArtistId, RegroupingId, UserId } from '../ids.ts';
import { users } from './accounts.ts';
import { flag, id, json, time } from './columns.ts';

/** library/: a person or group that made music. Artists with the same folded name are one artist. */
export const artists = sqliteTable(
  'artists',
  {
    id: id<ArtistId>(),
    name: text('name').notNull(), // the spelling that most tracks use
    nameKey: text('name_key').notNull(), // the name folded: width, case, outer blanks
    sortName: text('sort_name').notNull(), // such as `Quays, The`
    sortKey: text('sort_key').notNull(), // the sort name folded, accents removed
    neverSplit: flag('never_split').notNull().default(false), // whether a name such as `Smith/Kotzen` is one artist
    artistMbid: text('artist_mbid'),
    source: text('source'),
    sourceId: text('source_id'),
    // number of tracks that credit the artist; maintained by triggers
    trackCount: integer('track_count').notNull().default(0),
    // number of albums whose album artist this is; maintained by triggers
    albumCount: integer('album_count').notNull().default(0),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
    // year of the earliest album whose album artist this is; null when no year is known. Maintained by triggers
    firstYear: integer('first_year'),
  },
  (t) => [
    uniqueIndex('artists_name_key_unique').on(t.nameKey),
    index('artists_sort_key').on(t.sortKey, t.id),
    index('artists_created_at').on(t.createdAt, t.id),
    index('artists_first_year').on(t.firstYear, t.sortKey, t.id),
    index('artists_artist_mbid')
      .on(t.artistMbid)
      .where(sql`artist_mbid IS NOT NULL`),
  ],
);

/** Who decided that the tracks of an album stay one album. */
export type FixedBy = 'upgrade' | 'person';

/**
 * library/: a release as users see it; all discs of a set and all tracks of a compilation are one album.
 */
export const albums = sqliteTable(
  'albums',
  {
    id: id<AlbumId>(),
    title: text('title').notNull(),
    titleSort: text('title_sort').notNull(), // the title folded, accents removed
    artistId: integer('artist_id')
      .$type<ArtistId>()
      .references(() => artists.id), // album artist; null when unknown
    artistSort: text('artist_sort').notNull(), // a copy of artists.sort_key, so that one index serves the sorting
    year: integer('year'),
    genre: text('genre'), // the genre of the album's first track
    isCompilation: flag('is_compilation').notNull().default(false),
    releaseGroupMbid: text('release_group_mbid'),
    source: text('source'),
    sourceId: text('source_id'),
    // this and the next three columns are maintained by triggers
    trackCount: integer('track_count').notNull().default(0),
    discCount: integer('disc_count').notNull().default(0),
    durationMs: integer('duration_ms').notNull().default(0),
    sizeBytes: integer('size_bytes').notNull().default(0),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
    // Set if the tracks stay one album, apart from other albums of the name, whatever library/releases.ts says: because
    // the album existed before that rule (`upgrade`), or because a person chose so.
    fixedBy: text('fixed_by').$type<FixedBy>(),
  },
  (t) => [
    index('albums_title_sort').on(t.titleSort, t.id),
    index('albums_artist_sort').on(t.artistSort, t.year, t.titleSort, t.id),
    index('albums_year').on(t.year, t.id),
    index('albums_created_at').on(t.createdAt, t.id),
    index('albums_artist_id').on(t.artistId, t.year, t.id),
    index('albums_name').on(t.artistId, t.titleSort),
    index('albums_fixed_by')
      .on(t.fixedBy)
      .where(sql`fixed_by IS NOT NULL`),
    index('albums_release_group_mbid')
      .on(t.releaseGroupMbid)
      .where(sql`release_group_mbid IS NOT NULL`),
  ],
);

/**
 * library/: the artists of an album whose tracks name several album artists. Written only by triggers on
 * track_album_artists and tracks. An album with one album artist has no rows.
 */
export const albumArtists = sqliteTable(
  'album_artists',
  {
    albumId: integer('album_id')
      .$type<AlbumId>()
      .notNull()
      .references(() => albums.id, { onDelete: 'cascade' }),
    artistId: integer('artist_id')
      .$type<ArtistId>()
      .notNull()
      .references(() => artists.id),
    position: integer('position').notNull(), // among the album artists of the track that was read first
    trackCount: integer('track_count').notNull(), // tracks of the album that name the artist
  },
  (t) => [primaryKey({ columns: [t.albumId, t.artistId] }), index('album_artists_artist_id').on(t.artistId, t.albumId)],
);

/** library/: a key by which an album is found; made by library/album-names.ts. */
export const albumKeys = sqliteTable(
  'album_keys',
  {
    key: text('key').primaryKey(),
    albumId: integer('album_id')
      .$type<AlbumId>()
      .notNull()
      .references(() => albums.id, { onDelete: 'cascade' }),
  },
  (t) => [index('album_keys_album_id').on(t.albumId)],
);

/**
 * library/: albums whose grouping has to be checked again, because their tracks changed or were analyzed. Each row is a
 * name (library/album-names.ts), or `#` and the id of an album.
 */
export const unsettledAlbums = sqliteTable('unsettled_albums', { name: text('name').primaryKey() });

/** library/: the albums of a name before they were grouped anew, for 30 days; see library/album-regroupings.ts. */
export const albumRegroupings = sqliteTable(
  'album_regroupings',
  {
    id: id<RegroupingId>(),
    name: text('name').notNull(), // made by library/album-names.ts
    title: text('title').notNull(),
    artistName: text('artist_name'),
    before: json<unknown>('before').notNull(), // [[album id, [track ids], fields of the album]]
    madeBy: integer('made_by')
      .$type<UserId>()
      .references(() => users.id, { onDelete: 'set null' }), // null if an upgrade of the server grouped the albums
    madeAt: time('made_at').notNull(),
  },
  (t) => [index('album_regroupings_made_at').on(t.madeAt)],
);

/** library/: one row with the time at which albums of an earlier version are grouped by the current rule. */
export const albumReview = sqliteTable('album_review', { dueAt: time('due_at').notNull() });
