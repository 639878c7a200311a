// Tracks, with their credits, lyrics, chapters, further tags and edits.
import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { albumPlace } from '../album-place.ts';
import type { AlbumId, ArtistId, PersonId, TrackEditId, TrackId, UserId } from '../ids.ts';
import type { CreditRole, MoreTags } from '../more-tags.ts';
import { users } from './accounts.ts';
import { albums, artists } from './artists-and-albums.ts';
import { flag, id, json, time } from './columns.ts';

export type Availability = 'available' | 'remote' | 'fetching' | 'missing';
/** `copy`: files are copied into the storage. `reference`: files are only indexed. */
export type ImportMode = 'copy' | 'reference';
export type MetadataStatus = 'pending' | 'enriched' | 'failed' | 'manual';
/**
 * The origin of a field's value: tags, tags without a charset, a fingerprint match, a person, the file's path, or the
 * analysis.
 */
export type Origin = 'tag' | 'charset' | 'fpid' | 'manual' | 'path' | 'measured';

/** library/: a piece of music in the library, with or without its audio. */
export const tracks = sqliteTable(
  'tracks',
  {
    id: id<TrackId>(),
    title: text('title').notNull(),
    titleSort: text('title_sort').notNull(),
    artistId: integer('artist_id')
      .$type<ArtistId>()
      .references(() => artists.id), // the first credited artist
    artistName: text('artist_name'), // the credit as written in the tags, such as `A feat. B`
    artistSort: text('artist_sort').notNull(),
    albumId: integer('album_id')
      .$type<AlbumId>()
      .references(() => albums.id),
    albumSort: text('album_sort').notNull(), // a copy of albums.title_sort
    genre: text('genre'), // the first genre of the track
    year: integer('year'),
    trackNumber: integer('track_number'),
    discNumber: integer('disc_number'),
    durationMs: integer('duration_ms'),
    sizeBytes: integer('size_bytes'),
    format: text('format'),
    codec: text('codec'),
    bitrateKbps: integer('bitrate_kbps'),
    sampleRateHz: integer('sample_rate_hz'),
    bitDepth: integer('bit_depth'),
    channels: integer('channels'),
    encoderDelay: integer('encoder_delay'), // number of samples to drop at the start
    encoderPadding: integer('encoder_padding'), // number of samples to drop at the end
    source: text('source').notNull(), // `upload`, `local_folder` or `streamsrc`
    sourceId: text('source_id').notNull(),
    // `local:<key>`, `s3:<key>` or `file:<path as in source_id>`; null for a placeholder
    storageUri: text('storage_uri'),
    contentHash: text('content_hash'), // SHA-256 of the whole file in hex; null if the file was never read as a whole
    audioHash: text('audio_hash'), // hash of the payload without tags, with a version prefix
    availability: text('availability').$type<Availability>().notNull(),
    metadataStatus: text('metadata_status').$type<MetadataStatus>().notNull(),
    metadataError: text('metadata_error'),
    enrichedAt: time('enriched_at'),
    fpidScore: real('fpid_score'), // 0..1
    recordingMbid: text('recording_mbid'),
    acoustidId: text('acoustid_id'),
    trackGainDb: real('track_gain_db'),
    trackPeak: real('track_peak'), // linear, 1.0 is full scale
    albumGainDb: real('album_gain_db'),
    albumPeak: real('album_peak'),
    hasPicture: flag('has_picture').notNull().default(false), // whether a picture is embedded in the audio file
    hasLyrics: flag('has_lyrics').notNull().default(false),
    coverUrl: text('cover_url'), // for a placeholder, the address of the cover in the catalogue
    // the origins of fields whose values do not come from tags
    provenance: json<Partial<Record<string, Origin>>>('provenance'),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
    // The following columns are described in track-fields.ts. If there are several values, they are separated by `; `.
    originalYear: integer('original_year'), // the year of the first release
    composer: text('composer'),
    composerSort: text('composer_sort'), // the composer folded, accents removed; null if there is none
    label: text('label'),
    labelSort: text('label_sort'), // the label folded, accents removed; null if there is none
    isrc: text('isrc'),
    bpm: real('bpm'),
    comment: text('comment'),
    catalogNumber: text('catalog_number'), // the number that the label gave the release
    // the account that uploaded or downloaded the track; null if unknown, and for tracks in music folders
    uploadedBy: integer('uploaded_by')
      .$type<UserId>()
      .references(() => users.id, { onDelete: 'set null' }),
    // The charset of texts in the tags that do not name a charset; null if all of them are ASCII. A person chose it if
    // `provenance` says so.
    charset: text('charset'),
    // The range of samples that the track has in its file, see scan/write/split-files.ts. Both are null for the whole
    // file. The end alone may be null.
    sectionStart: integer('section_start'),
    sectionEnd: integer('section_end'),
    initialKey: text('initial_key'),
    initialKeySort: text('initial_key_sort'), // the key folded; null if there is none
    energy: integer('energy'), // 1..10
    // Measured by the analysis for tracks without ReplayGain in their tags. Removed when the audio is replaced.
    measuredGainDb: real('measured_gain_db'),
    measuredPeak: real('measured_peak'), // true peak, linear; 1.0 is full scale
    measuredAlbumGainDb: real('measured_album_gain_db'),
    measuredAlbumPeak: real('measured_album_peak'),
    barcode: text('barcode'), // EAN or UPC of the release, with spaces and zeros as in the tags
  },
  (t) => [
    uniqueIndex('tracks_source_source_id_unique').on(t.source, t.sourceId),
    index('tracks_title_sort').on(t.titleSort, t.id),
    index('tracks_artist_sort').on(t.artistSort, t.albumSort, t.albumId, sql.raw(albumPlace()), t.id),
    index('tracks_album_sort').on(t.albumSort, t.albumId, sql.raw(albumPlace()), t.id),
    index('tracks_year').on(t.year, t.id),
    // the following indexes are partial, since few files have these values
    index('tracks_original_year')
      .on(t.originalYear, t.id)
      .where(sql`original_year IS NOT NULL`),
    index('tracks_composer')
      .on(t.composerSort, t.id)
      .where(sql`composer_sort IS NOT NULL`),
    index('tracks_label')
      .on(t.labelSort, t.id)
      .where(sql`label_sort IS NOT NULL`),
    index('tracks_bpm')
      .on(t.bpm, t.id)
      .where(sql`bpm IS NOT NULL`),
    index('tracks_initial_key')
      .on(t.initialKeySort, t.id)
      .where(sql`initial_key_sort IS NOT NULL`),
    index('tracks_energy')
      .on(t.energy, t.id)
      .where(sql`energy IS NOT NULL`),
    // used to read the tags of albums from their tracks
    index('tracks_album_release')
      .on(t.albumId, t.label, t.originalYear)
      .where(sql`label IS NOT NULL OR original_year IS NOT NULL`),
    index('tracks_created_at').on(t.createdAt, t.id),
    index('tracks_duration').on(t.durationMs, t.id),
    index('tracks_album_id').on(t.albumId, t.discNumber, t.trackNumber, t.id),
    index('tracks_artist_id').on(t.artistId),
    index('tracks_content_hash').on(t.contentHash),
    index('tracks_audio_hash')
      .on(t.audioHash)
      .where(sql`audio_hash IS NOT NULL`),
    index('tracks_unhashed')
      .on(t.source, t.id)
      .where(sql`audio_hash IS NULL AND storage_uri IS NOT NULL`),
    index('tracks_recording_mbid')
      .on(t.recordingMbid)
      .where(sql`recording_mbid IS NOT NULL`),
    index('tracks_isrc')
      .on(t.isrc)
      .where(sql`isrc IS NOT NULL`),
    index('tracks_barcode')
      .on(sql`ltrim(replace(replace(barcode, ' ', ''), '-', ''), '0')`)
      .where(sql`barcode IS NOT NULL`),
    index('tracks_metadata_status').on(t.metadataStatus, t.id),
    // used to count the matches of filters without reading rows
    index('tracks_facets').on(t.format, t.source, t.availability, t.metadataStatus, t.year),
    index('tracks_uploaded_by')
      .on(t.uploadedBy, t.sizeBytes)
      .where(sql`uploaded_by IS NOT NULL`),
    index('tracks_remote_cover')
      .on(t.albumId)
      .where(sql`cover_url IS NOT NULL`),
    index('tracks_not_available')
      .on(t.availability, t.id)
      .where(sql`availability <> 'available'`),
  ],
);

export type TrackRow = typeof tracks.$inferSelect;

/** library/: an artist of a track, in order of credit. */
export const trackArtists = sqliteTable(
  'track_artists',
  {
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    position: integer('position').notNull(),
    artistId: integer('artist_id')
      .$type<ArtistId>()
      .notNull()
      .references(() => artists.id),
    credit: text('credit').notNull(), // the name as this file spells it
  },
  (t) => [primaryKey({ columns: [t.trackId, t.position] }), index('track_artists_artist_id').on(t.artistId, t.trackId)],
);

/**
 * library/: the album artists of a track whose tags name several, in their order. The first one is the album artist by
 * which the album is found (albums.artist_id), unless a person or a rule chose another.
 */
export const trackAlbumArtists = sqliteTable(
  'track_album_artists',
  {
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    position: integer('position').notNull(),
    artistId: integer('artist_id')
      .$type<ArtistId>()
      .notNull()
      .references(() => artists.id),
  },
  (t) => [
    primaryKey({ columns: [t.trackId, t.position] }),
    index('track_album_artists_artist_id').on(t.artistId, t.trackId),
  ],
);

/** library/: lyrics from the audio file or from a file beside it. */
export const lyrics = sqliteTable('lyrics', {
  trackId: integer('track_id')
    .$type<TrackId>()
    .primaryKey()
    .references(() => tracks.id, { onDelete: 'cascade' }),
  synced: flag('synced').notNull(),
  lines: json<{ startMs?: number; text: string; words?: { startMs: number; text: string }[] }[]>('lines').notNull(),
  language: text('language'), // as the tags or the file name give it, such as `eng`
});

/**
 * lyrics/: lyrics that are not from a file. Lyrics by a person are preferred to those of the file, and those of the
 * file to others.
 */
export const foundLyrics = sqliteTable('found_lyrics', {
  trackId: integer('track_id')
    .$type<TrackId>()
    .primaryKey()
    .references(() => tracks.id, { onDelete: 'cascade' }),
  isManual: flag('is_manual').notNull(), // whether a person wrote or picked the lyrics
  lrclibId: integer('lrclib_id'), // id of the lyrics at LRCLIB; null if a person wrote the text
  isInstrumental: flag('is_instrumental').notNull().default(false),
  synced: flag('synced').notNull(),
  lines: json<{ startMs?: number; text: string; words?: { startMs: number; text: string }[] }[]>('lines').notNull(),
  updatedAt: time('updated_at').notNull(),
});

/** lyrics/: a look-up that found no lyrics for the track. A failed look-up leaves no row. */
export const lyricsLookups = sqliteTable('lyrics_lookups', {
  trackId: integer('track_id')
    .$type<TrackId>()
    .primaryKey()
    .references(() => tracks.id, { onDelete: 'cascade' }),
  askedAt: time('asked_at').notNull(),
});

/** library/: the chapters of an audiobook. Tracks without chapters have no row. */
export const chapters = sqliteTable('chapters', {
  trackId: integer('track_id')
    .$type<TrackId>()
    .primaryKey()
    .references(() => tracks.id, { onDelete: 'cascade' }),
  list: json<{ startMs: number; title: string }[]>('list').notNull(), // sorted by time
});

/** library/: tags that are stored as they are in the file. Tracks without such tags have no row. */
export const moreTags = sqliteTable(
  'more_tags',
  {
    trackId: integer('track_id')
      .$type<TrackId>()
      .primaryKey()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    tags: json<MoreTags>('tags').notNull(),
    isExplicit: flag('is_explicit'), // false if marked as clean; null if unknown
  },
  (t) => [
    index('more_tags_is_explicit')
      .on(t.trackId, t.isExplicit)
      .where(sql`is_explicit IS NOT NULL`),
    index('more_tags_mood')
      .on(t.trackId)
      .where(sql`json_valid(tags) AND tags ->> '$.mood' IS NOT NULL`),
  ],
);

/**
 * library/: a person who is credited on tracks, such as a composer. An artist with the same folded name is the same
 * person. Rows without credits stay, so that a person has the same id again after a track was tagged anew or restored.
 */
export const people = sqliteTable(
  'people',
  {
    id: id<PersonId>(),
    name: text('name').notNull(), // the spelling of the first track
    nameKey: text('name_key').notNull(), // the name folded, as in artists
    nameSort: text('name_sort').notNull(), // the sort name, or else the name, folded, accents removed
  },
  (t) => [uniqueIndex('people_name_key_unique').on(t.nameKey), index('people_name_sort').on(t.nameSort, t.id)],
);

/** library/: what a person did on a track; follows from `tracks.composer` and `more_tags`. */
export const trackCredits = sqliteTable(
  'track_credits',
  {
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    position: integer('position').notNull(),
    role: text('role').$type<CreditRole>().notNull(),
    personId: integer('person_id')
      .$type<PersonId>()
      .notNull()
      .references(() => people.id),
    instrument: text('instrument'), // instruments and voices of a performer; null if the tags do not say
  },
  (t) => [
    primaryKey({ columns: [t.trackId, t.position] }),
    index('track_credits_person').on(t.role, t.personId, t.trackId),
  ],
);

/**
 * library/: a value of a tag that tracks are filtered by: moods, groupings, and the tags that a person named. Follows
 * from `more_tags`.
 */
export const trackTags = sqliteTable(
  'track_tags',
  {
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    position: integer('position').notNull(), // among all values of the track
    tag: text('tag').notNull(), // mood, grouping, or the name of a custom tag in upper case
    value: text('value').notNull(),
    valueKey: text('value_key').notNull(), // the value folded, see `sortKey`; once for each tag of a track
  },
  (t) => [primaryKey({ columns: [t.trackId, t.position] }), index('track_tags_value').on(t.tag, t.valueKey, t.trackId)],
);

/**
 * library/: progress of filling `track_credits` and `track_tags` from the tags of tracks that an earlier version
 * stored. There is no row when all tracks are done. See library/tracks/fill-from-stored-tags.ts.
 */
export const creditsFill = sqliteTable('credits_fill', {
  lastId: integer('last_id').primaryKey(), // tracks up to this id are done
  upToId: integer('up_to_id').notNull(), // tracks with higher ids were written with their credits
});

/**
 * library/: what the tags of a track's file say about listening to it. tag-ratings/ gives it to the account that the
 * administrator names. Tracks whose tags say nothing have no row.
 */
export const tagRatings = sqliteTable('tag_ratings', {
  trackId: integer('track_id')
    .$type<TrackId>()
    .primaryKey()
    .references(() => tracks.id, { onDelete: 'cascade' }),
  rating: real('rating'), // 0.5 to 5 stars in halves; null if unrated
  plays: integer('plays'),
  lastPlayedAt: time('last_played_at'),
});

/**
 * tag-ratings/: progress of reading the ratings of files that an earlier version has read. There is no row when all are
 * read.
 */
export const tagRatingsUnread = sqliteTable('tag_ratings_unread', {
  lastId: integer('last_id').primaryKey(), // tracks up to this id are done
  upToId: integer('up_to_id').notNull(), // the tags of tracks with higher ids were read with their ratings
});

/** lyrics/: tracks whose lyrics changed since they were indexed. Filled by triggers. */
export const lyricsPending = sqliteTable('lyrics_pending', {
  trackId: integer('track_id').$type<TrackId>().primaryKey(),
});

/** The kind of an edit: a person entered fields, or applied a fingerprint match. */
export type EditKind = 'edit' | 'match';

/**
 * library/: the values that an edit by hand replaced, kept for 30 days. The row goes to the trash and comes back with
 * its track.
 */
export const trackEdits = sqliteTable(
  'track_edits',
  {
    id: id<TrackEditId>(),
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    userId: integer('user_id')
      .$type<UserId>()
      .references(() => users.id, { onDelete: 'set null' }),
    batch: text('batch'), // an id that the client chooses for edits that were made together
    changes: json<unknown>('changes').notNull(), // [{field, before, after}], for display
    before: json<unknown>('before').notNull(), // the replaced values, described in library/edit-history.ts
    createdAt: time('created_at').notNull(),
    kind: text('kind').$type<EditKind>().notNull().default('edit'),
  },
  (t) => [
    index('track_edits_track_id').on(t.trackId, t.id),
    index('track_edits_batch')
      .on(t.batch, t.id)
      .where(sql`batch IS NOT NULL`),
    index('track_edits_created_at').on(t.createdAt),
    index('track_edits_user_id').on(t.userId),
  ],
);
