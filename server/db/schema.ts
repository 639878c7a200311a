// The schema is its own documentation: each table opens with its owner room (the only one that writes it) and what a
// row means; each unobvious column ends with its unit or allowed values. Triggers and search tables are in migrations/,
// written by hand; so is WITHOUT ROWID on the tables whose key is their order (album_keys, track_artists, track_genres,
// album_genres, change_counts, source_files, like_states, play_counts, playlist_versions, playlist_past_entries,
// bookmarks, library_totals, fingerprint_pieces, duplicate_pairs, duplicate_dismissals, enrichment_matches,
// share_tracks, remote_ids), which halves what a scan writes there.
import { sql } from 'drizzle-orm';
import { customType, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type {
  AlbumId,
  AppPasswordId,
  ArtistId,
  DownloadId,
  GenreId,
  HistoryImportId,
  JobId,
  MusicFolderId,
  PlayId,
  PlaylistId,
  RadioStationId,
  SessionId,
  ShareId,
  TrackEditId,
  TrackId,
  UserId,
} from './ids.ts';

const time = <Name extends string>(name: Name) => integer(name, { mode: 'timestamp_ms' });
const flag = <Name extends string>(name: Name) => integer(name, { mode: 'boolean' });
const id = <T extends number>() => integer('id').primaryKey({ autoIncrement: true }).$type<T>();
const blob = customType<{ data: Uint8Array }>({ dataType: () => 'blob' });
/** JSON text. Parsed where it is read, since a row may be older than the code. */
const json = <T>(name: string) => text(name, { mode: 'json' }).$type<T>();

// ---- auth/ ----

/** `rights`: accounts from before there were rights cannot edit what others brought in. */
export type NoticeName = 'rights';

/** auth/: a person who may sign in. */
export const users = sqliteTable(
  'users',
  {
    id: id<UserId>(),
    username: text('username').notNull(),
    usernameKey: text('username_key').notNull(), // folded, for uniqueness ignoring case
    passwordHash: text('password_hash').notNull(), // argon2id, PHC string
    isSuperuser: flag('is_superuser').notNull().default(false),
    tokenVersion: integer('token_version').notNull().default(1), // raised when the password changes; older tokens end
    createdAt: time('created_at').notNull(),
    lastSeenAt: time('last_seen_at'),
    canEdit: flag('can_edit').notNull().default(false), // this and the next six: rights.ts
    canUpload: flag('can_upload').notNull().default(true),
    canDownload: flag('can_download').notNull().default(true),
    canShare: flag('can_share').notNull().default(true),
    canJukebox: flag('can_jukebox').notNull().default(true),
    maxBitrateKbps: integer('max_bitrate_kbps'), // null: no limit
    quotaBytes: integer('quota_bytes'), // null: no limit
  },
  (t) => [uniqueIndex('users_username_key_unique').on(t.usernameKey)],
);

/** auth/: a sign-in, and the access tokens that follow from it. They end when it is deleted. */
export const sessions = sqliteTable(
  'sessions',
  {
    id: id<SessionId>(),
    userId: integer('user_id')
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: time('created_at').notNull(),
    expiresAt: time('expires_at').notNull(), // of its latest token
    lastUsedAt: time('last_used_at').notNull(), // exact to a minute; so are the next two
    address: text('address'), // IP address
    client: text('client'), // User-Agent
  },
  (t) => [index('sessions_user_id').on(t.userId, t.lastUsedAt)],
);

/** auth/: a password for Subsonic clients. */
export const appPasswords = sqliteTable(
  'app_passwords',
  {
    id: id<AppPasswordId>(),
    userId: integer('user_id')
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(), // `default` is the one that /users/me/subsonic-password reveals
    sealed: blob('sealed').notNull(), // AES-256-GCM: 12 bytes IV, ciphertext, 16 bytes tag
    salt: blob('salt').notNull(), // HKDF salt, 16 bytes
    lookup: text('lookup').notNull(), // keyed hash of the password, hex; finds an apiKey
    createdAt: time('created_at').notNull(),
    lastUsedAt: time('last_used_at'), // exact to a minute; so are the next two
    address: text('address'), // IP address
    client: text('client'), // what the client calls itself
  },
  (t) => [
    uniqueIndex('app_passwords_user_id_name_unique').on(t.userId, t.name),
    uniqueIndex('app_passwords_lookup_unique').on(t.lookup),
  ],
);

/** auth/: something that an administrator has to be told once; gone when it was read. */
export const notices = sqliteTable('notices', {
  name: text('name').$type<NoticeName>().primaryKey(),
  createdAt: time('created_at').notNull(),
});

// ---- library/ ----

/** library/: a person or group that made music. Identity is the folded name. */
export const artists = sqliteTable(
  'artists',
  {
    id: id<ArtistId>(),
    name: text('name').notNull(), // the spelling most tracks use
    nameKey: text('name_key').notNull(), // folded: width, case, outer blanks
    sortName: text('sort_name').notNull(), // `Quays, The`
    sortKey: text('sort_key').notNull(), // folded sort name, accents removed
    neverSplit: flag('never_split').notNull().default(false), // `Smith/Kotzen` is one artist
    artistMbid: text('artist_mbid'),
    source: text('source'),
    sourceId: text('source_id'),
    trackCount: integer('track_count').notNull().default(0), // kept by triggers: tracks that credit the artist
    albumCount: integer('album_count').notNull().default(0), // kept by triggers: albums whose album artist this is
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
    // kept by triggers: of the earliest album whose album artist this is; null when no year is known
    firstYear: integer('first_year'),
  },
  (t) => [
    uniqueIndex('artists_name_key_unique').on(t.nameKey),
    index('artists_sort_key').on(t.sortKey, t.id),
    index('artists_created_at').on(t.createdAt, t.id),
    index('artists_first_year').on(t.firstYear, t.sortKey, t.id),
  ],
);

/**
 * library/: a release group as the person sees it; all discs of a set and all tracks of a compilation are one album.
 */
export const albums = sqliteTable(
  'albums',
  {
    id: id<AlbumId>(),
    title: text('title').notNull(),
    titleSort: text('title_sort').notNull(), // folded, accents removed
    artistId: integer('artist_id')
      .$type<ArtistId>()
      .references(() => artists.id), // album artist; null when unknown
    artistSort: text('artist_sort').notNull(), // copy of artists.sort_key, so that one index serves the sort
    year: integer('year'),
    genre: text('genre'), // genre of its first track
    isCompilation: flag('is_compilation').notNull().default(false),
    releaseGroupMbid: text('release_group_mbid'),
    source: text('source'),
    sourceId: text('source_id'),
    trackCount: integer('track_count').notNull().default(0), // this and the next three kept by triggers
    discCount: integer('disc_count').notNull().default(0),
    durationMs: integer('duration_ms').notNull().default(0),
    sizeBytes: integer('size_bytes').notNull().default(0),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (t) => [
    index('albums_title_sort').on(t.titleSort, t.id),
    index('albums_artist_sort').on(t.artistSort, t.year, t.titleSort, t.id),
    index('albums_year').on(t.year, t.id),
    index('albums_created_at').on(t.createdAt, t.id),
    index('albums_artist_id').on(t.artistId, t.year, t.id),
  ],
);

/**
 * library/: the names by which an album is found (`rg:<mbid>`, `t:<artist id>:<folded title>`, line break, `<year>`;
 * the same after `f:<folder id>:`); see library/resolve.ts.
 */
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

export type Availability = 'available' | 'remote' | 'fetching' | 'missing';
/** Files are copied into the storage, or only indexed. */
export type ImportMode = 'copy' | 'reference';
export type MetadataStatus = 'pending' | 'enriched' | 'failed' | 'manual';
/**
 * Where a field's value came from: tags, tags that do not say their charset, a fingerprint match, a person, or the
 * file's path.
 */
export type Origin = 'tag' | 'charset' | 'fpid' | 'manual' | 'path';

/** library/: one piece of music that the library knows, with or without its audio. */
export const tracks = sqliteTable(
  'tracks',
  {
    id: id<TrackId>(),
    title: text('title').notNull(),
    titleSort: text('title_sort').notNull(),
    artistId: integer('artist_id')
      .$type<ArtistId>()
      .references(() => artists.id), // first credited artist
    artistName: text('artist_name'), // the credit as written: `A feat. B`
    artistSort: text('artist_sort').notNull(),
    albumId: integer('album_id')
      .$type<AlbumId>()
      .references(() => albums.id),
    albumSort: text('album_sort').notNull(), // copy of albums.title_sort
    genre: text('genre'), // first genre
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
    encoderDelay: integer('encoder_delay'), // samples to drop at the start
    encoderPadding: integer('encoder_padding'), // samples to drop at the end
    source: text('source').notNull(), // upload, local_folder, streamsrc
    sourceId: text('source_id').notNull(),
    storageUri: text('storage_uri'), // local:<key>, s3:<key>, file:<path as in source_id>; null for a placeholder
    contentHash: text('content_hash'), // sha256 of the whole file, hex; null when it was never read whole
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
    hasPicture: flag('has_picture').notNull().default(false), // a picture is embedded in the audio
    hasLyrics: flag('has_lyrics').notNull().default(false),
    coverUrl: text('cover_url'), // of a placeholder: where the catalogue shows its cover
    provenance: json<Partial<Record<string, Origin>>>('provenance'), // fields that do not come from tags
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
    // these are described in track-fields.ts; several values have `; ` between them
    originalYear: integer('original_year'), // of the first release
    composer: text('composer'),
    composerSort: text('composer_sort'), // folded, accents removed; null when there is none
    label: text('label'),
    labelSort: text('label_sort'), // as composer_sort
    isrc: text('isrc'),
    bpm: real('bpm'),
    comment: text('comment'),
    catalogNumber: text('catalog_number'), // of the release, as its label gave it
    // who uploaded it or fetched it from a catalogue; null where that is not known, and for the music folder
    uploadedBy: integer('uploaded_by')
      .$type<UserId>()
      .references(() => users.id, { onDelete: 'set null' }),
    // in which the text of its tags that does not say its charset is read; null when there is none beyond ASCII.
    // A person chose it if `provenance` says so
    charset: text('charset'),
    // samples of the file that are this track, see scan/split-files.ts; both null: all of it. The end may be null alone
    sectionStart: integer('section_start'),
    sectionEnd: integer('section_end'),
  },
  (t) => [
    uniqueIndex('tracks_source_source_id_unique').on(t.source, t.sourceId),
    index('tracks_title_sort').on(t.titleSort, t.id),
    index('tracks_artist_sort').on(t.artistSort, t.albumSort, t.albumId, t.discNumber, t.trackNumber, t.id),
    index('tracks_album_sort').on(t.albumSort, t.albumId, t.discNumber, t.trackNumber, t.id),
    index('tracks_year').on(t.year, t.id),
    // few files have these, and a library without them does not pay for the index
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
    // what albums are told to have, from their tracks
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
    index('tracks_metadata_status').on(t.metadataStatus, t.id),
    // counts what fits filters without reading rows
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

/** library/: who made a track, in order of credit. */
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

/** library/: a genre as some track spells it. */
export const genres = sqliteTable(
  'genres',
  {
    id: id<GenreId>(),
    name: text('name').notNull(),
    nameKey: text('name_key').notNull(),
    trackCount: integer('track_count').notNull().default(0), // kept by triggers
  },
  (t) => [uniqueIndex('genres_name_key_unique').on(t.nameKey)],
);

/**
 * library/: how much there is of each source, status and format; written by triggers alone. A row may have come down to
 * 0 tracks.
 */
export const libraryTotals = sqliteTable(
  'library_totals',
  {
    source: text('source').notNull(),
    metadataStatus: text('metadata_status').$type<MetadataStatus>().notNull(),
    format: text('format').notNull(), // '' where it is not known
    tracks: integer('tracks').notNull(),
    sizeBytes: integer('size_bytes').notNull(),
    durationMs: integer('duration_ms').notNull(),
  },
  (t) => [primaryKey({ columns: [t.source, t.metadataStatus, t.format] })],
);

/** library/: genres of a track, first is the main one. */
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

/** library/: genres of an album's tracks. Kept by triggers on tracks and track_genres; nobody writes it. */
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

/**
 * library/: how often what lists depend on was written; kept by triggers. An answer that was kept holds as long as the
 * number stays.
 */
export const changeCounts = sqliteTable('change_counts', {
  topic: text('topic').$type<'library' | 'likes' | 'plays'>().primaryKey(),
  changes: integer('changes').notNull(),
});

/**
 * library/: how far the search tables are rebuilt, after a migration changed them; no row once they are whole. See
 * library/search-rebuild.ts.
 */
export const searchRebuild = sqliteTable('search_rebuild', {
  kind: text('kind').$type<ItemType>().primaryKey(),
  lastId: integer('last_id').notNull(), // up to here it is done
});

/**
 * files/: tracks from before a migration added columns that their files' tags may fill; no row once they are read
 * again. See files/reread-tags.ts.
 */
export const tagsAgain = sqliteTable('tags_again', {
  lastId: integer('last_id').primaryKey(), // up to here it is done
  upToId: integer('up_to_id').notNull(), // later tracks were written with the columns
});

/** Why two tracks became one: a person said so, in one way or another, or a scan found it. */
export type MergeReason = 'duplicate' | 'chosen' | 'same_audio' | 'same_music';

/**
 * library/: a deleted track, until it is restored or has been here for 30 days. Its row is in no other table, so no
 * list can show it; its stored audio, and the cover of an album that went with it, stay. `snapshot`: track-snapshot.ts.
 * A track that was merged into another one is here too, for the same time; see merges.ts.
 */
export const trashedTracks = sqliteTable(
  'trashed_tracks',
  {
    id: integer('id').$type<TrackId>().primaryKey(), // that the track had
    title: text('title').notNull(),
    artistName: text('artist_name'),
    albumTitle: text('album_title'),
    source: text('source').notNull(),
    sourceId: text('source_id').notNull(),
    storageUri: text('storage_uri'),
    contentHash: text('content_hash'),
    sizeBytes: integer('size_bytes'),
    coverKey: text('cover_key'), // of an album that had no other track
    uploadedBy: integer('uploaded_by')
      .$type<UserId>()
      .references(() => users.id, { onDelete: 'set null' }),
    deletedBy: integer('deleted_by')
      .$type<UserId>()
      .references(() => users.id, { onDelete: 'set null' }),
    deletedAt: time('deleted_at').notNull(),
    snapshot: json<unknown>('snapshot').notNull(),
    mergedInto: integer('merged_into').$type<TrackId>(), // null for a deleted track
    mergeReason: text('merge_reason').$type<MergeReason>(),
    // not deleted by anybody: its file is several tracks now, or one track again; in no list, and never emptied
    isHidden: flag('is_hidden').notNull().default(false),
    audioHash: text('audio_hash'),
  },
  (t) => [
    index('trashed_tracks_deleted_at').on(t.deletedAt, t.id),
    index('trashed_tracks_source_source_id').on(t.source, t.sourceId),
    index('trashed_tracks_content_hash').on(t.contentHash),
    index('trashed_tracks_hidden')
      .on(t.audioHash)
      .where(sql`is_hidden = 1`),
    index('trashed_tracks_uploaded_by').on(t.uploadedBy),
    index('trashed_tracks_deleted_by').on(t.deletedBy),
    index('trashed_tracks_cover_key')
      .on(t.coverKey)
      .where(sql`cover_key IS NOT NULL`),
  ],
);

/**
 * library/: what an edit of a track by hand replaced, for 30 days. Goes to the trash and comes back with its track.
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
    batch: text('batch'), // given by the client: edits that were made together
    changes: json<unknown>('changes').notNull(), // [{field, before, after}], to show
    before: json<unknown>('before').notNull(), // library/edit-history.ts
    createdAt: time('created_at').notNull(),
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

/** library/: lyrics found in the file or beside it. */
export const lyrics = sqliteTable('lyrics', {
  trackId: integer('track_id')
    .$type<TrackId>()
    .primaryKey()
    .references(() => tracks.id, { onDelete: 'cascade' }),
  synced: flag('synced').notNull(),
  lines: json<{ startMs?: number; text: string }[]>('lines').notNull(),
});

/** library/: the chapters of an audiobook. Tracks without chapters have no row. */
export const chapters = sqliteTable('chapters', {
  trackId: integer('track_id')
    .$type<TrackId>()
    .primaryKey()
    .references(() => tracks.id, { onDelete: 'cascade' }),
  list: json<{ startMs: number; title: string }[]>('list').notNull(), // by time
});

// ---- covers/ ----

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

/** covers/: a stored picture that is no album's any more, until it is deleted. Written by triggers. */
export const orphanedCovers = sqliteTable('orphaned_covers', {
  key: text('key').primaryKey(),
  albumId: integer('album_id').$type<AlbumId>().notNull(), // whose it was
});

// ---- db/ ----

/** db/: which library this is, made with the database and taken along by backup and restore; at most one row. */
export const libraryIdentity = sqliteTable('library_identity', { id: text('id').primaryKey() });

// ---- maintenance/ ----

/**
 * maintenance/: how far the comparison of stored audio with its checksums came: of the whole library, and of the daily
 * part.
 */
export const verifyRuns = sqliteTable('verify_runs', {
  scope: text('scope').$type<'all' | 'part'>().primaryKey(),
  // the latest one; it goes on after a stop, another begins anew (all) or goes on too (part)
  jobId: integer('job_id').$type<JobId>().notNull(),
  afterId: integer('after_id').notNull(), // tracks up to this id are done
  // what that job has found so far (maintenance/verify-report.ts)
  tally: text('tally', { mode: 'json' }).$type<unknown>().notNull(),
  startedAt: time('started_at').notNull(),
  afterAlbumId: integer('after_album_id').notNull().default(0), // covers of albums up to this one
});

// ---- music-folders/ ----

/**
 * music-folders/: a folder that is scanned. The first has the id 1 and the key ''; where it is, and its mode, are
 * settings. A removed one keeps its row, so that its key is not given again and it can be brought back.
 */
export const musicFolders = sqliteTable(
  'music_folders',
  {
    id: id<MusicFolderId>(),
    key: text('key').notNull(), // begins the source ids of its tracks; see storage/music-roots.ts
    name: text('name').notNull(),
    path: text('path'), // absolute; null for the first
    mode: text('mode').$type<ImportMode>(), // null for the first
    createdAt: time('created_at').notNull(),
    removedAt: time('removed_at'),
  },
  (t) => [uniqueIndex('music_folders_key_unique').on(t.key)],
);

// ---- scan/ ----

/** scan/: a folder in a music folder as the last scan saw it. */
export const sourceFolders = sqliteTable(
  'source_folders',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    source: text('source').notNull(),
    path: text('path').notNull(), // relative, `/` between parts, as spelled on disk; storage/music-roots.ts
    imageName: text('image_name'), // best picture for a cover (cover, folder, front)
    signature: text('signature'), // of its listing, so that an unchanged folder can be passed over
  },
  (t) => [uniqueIndex('source_folders_source_path_unique').on(t.source, t.path)],
);

/**
 * scan/: a file below the import path and what became of it. Kept also for failed and deleted ones, so that they are
 * not opened again until they change.
 */
export const sourceFiles = sqliteTable(
  'source_files',
  {
    folderId: integer('folder_id')
      .notNull()
      .references(() => sourceFolders.id, { onDelete: 'cascade' }),
    name: text('name').notNull(), // as spelled on disk; bytes that are no UTF-8 as \xNN
    sizeBytes: integer('size_bytes').notNull(),
    mtimeUs: integer('mtime_us').notNull(), // microseconds
    dev: real('dev').notNull(), // real: identifiers may be wider than 53 bits
    ino: real('ino').notNull(),
    // `split`: it has several tracks, each with a row of its own, see files/section-names.ts
    state: text('state').$type<'track' | 'split' | 'failed' | 'deleted' | 'gone'>().notNull(),
    reason: text('reason'), // why it failed, or why its cue sheet is not used
    trackId: integer('track_id')
      .$type<TrackId>()
      .references(() => tracks.id, { onDelete: 'set null' }),
    lyricsMark: text('lyrics_mark'), // name, size and time of the lyrics file beside it, as they were read
    sheetsMark: text('sheets_mark'), // hash of names, sizes and times of the cue sheets in its folder, as read
  },
  (t) => [
    primaryKey({ columns: [t.folderId, t.name] }),
    index('source_files_track_id').on(t.trackId),
    index('source_files_ino').on(t.ino),
    index('source_files_gone')
      .on(t.trackId)
      .where(sql`state = 'gone'`),
  ],
);

/**
 * scan/: scans that wrote something and have not looked for tracks whose files are gone yet; tracks with higher ids are
 * new to them. Stays when a scan is killed, so that the next one looks among its tracks too.
 */
export const unfinishedScans = sqliteTable('unfinished_scans', {
  source: text('source').primaryKey(),
  afterId: integer('after_id').$type<TrackId>().notNull(),
});

/**
 * scan/: the audio that a track had until other music lay at its path, with nothing to tell that it is the same. Its
 * file is that track when it comes back.
 */
export const formerAudio = sqliteTable(
  'former_audio',
  {
    trackId: integer('track_id')
      .$type<TrackId>()
      .primaryKey()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    audioHash: text('audio_hash').notNull(),
  },
  (t) => [index('former_audio_audio_hash').on(t.audioHash)],
);

/** downloads/: a fetch of a remote track's audio. From status to next_attempt_at it follows its job, by triggers. */
export const downloads = sqliteTable(
  'downloads',
  {
    id: id<DownloadId>(),
    source: text('source').notNull(),
    sourceId: text('source_id').notNull(),
    trackId: integer('track_id')
      .$type<TrackId>()
      .references(() => tracks.id, { onDelete: 'set null' }),
    userId: integer('user_id')
      .$type<UserId>()
      .references(() => users.id, { onDelete: 'set null' }),
    status: text('status').$type<'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled'>().notNull(),
    attempts: integer('attempts').notNull().default(0),
    maxAttempts: integer('max_attempts').notNull().default(5),
    bytesDone: integer('bytes_done').notNull().default(0),
    bytesTotal: integer('bytes_total'),
    error: text('error'),
    nextAttemptAt: time('next_attempt_at'),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
    jobId: integer('job_id').$type<JobId>(), // the latest one; it may have been forgotten since
  },
  (t) => [
    index('downloads_track_id').on(t.trackId),
    index('downloads_created_at').on(t.createdAt, t.id),
    index('downloads_job_id').on(t.jobId),
    index('downloads_status').on(t.status, t.id),
    uniqueIndex('downloads_track_id_unfinished')
      .on(t.trackId)
      .where(sql`status IN ('queued', 'running', 'waiting')`),
  ],
);

/** downloads/: what a catalogue calls a track that was saved from it, also after the track was merged into another. */
export const remoteIds = sqliteTable(
  'remote_ids',
  {
    source: text('source').notNull(),
    sourceId: text('source_id').notNull(), // `<provider>:<id>`
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    pageUrl: text('page_url'), // where the catalogue shows it; the extractor is sent there
  },
  (t) => [primaryKey({ columns: [t.source, t.sourceId] }), index('remote_ids_track_id').on(t.trackId)],
);

// ---- enrichment/: what tracks sound like ----

/** enrichment/: the acoustic fingerprint of a track's audio. Goes by a trigger when the audio is replaced. */
export const trackFingerprints = sqliteTable('track_fingerprints', {
  trackId: integer('track_id')
    .$type<TrackId>()
    .primaryKey()
    .references(() => tracks.id, { onDelete: 'cascade' }),
  version: text('version').notNull(), // cp1: Chromaprint, algorithm 1, the first 120 s
  durationMs: integer('duration_ms').notNull(), // of the whole track
  raw: blob('raw').notNull(), // uint32, little endian; one for every 0.124 s
  createdAt: time('created_at').notNull(),
});

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

/**
 * enrichment/: the few values of a fingerprint by which tracks that sound alike are found, see
 * media/fingerprint-match.ts. The duration narrows the look-up.
 */
export const fingerprintPieces = sqliteTable(
  'fingerprint_pieces',
  {
    piece: integer('piece').notNull(),
    durationMs: integer('duration_ms').notNull(),
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => trackFingerprints.trackId, { onDelete: 'cascade' }),
  },
  (t) => [
    primaryKey({ columns: [t.piece, t.durationMs, t.trackId] }),
    index('fingerprint_pieces_track_id').on(t.trackId),
  ],
);

/** enrichment/: two tracks that are the same recording by their fingerprints; the lower id first. */
export const duplicatePairs = sqliteTable(
  'duplicate_pairs',
  {
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => trackFingerprints.trackId, { onDelete: 'cascade' }),
    otherId: integer('other_id')
      .$type<TrackId>()
      .notNull()
      .references(() => trackFingerprints.trackId, { onDelete: 'cascade' }),
    similarity: real('similarity').notNull(), // share of equal bits, 0..1
  },
  (t) => [primaryKey({ columns: [t.trackId, t.otherId] }), index('duplicate_pairs_other_id').on(t.otherId)],
);

/** enrichment/: the group that pairs add up to. A trigger removes the last one of a group. */
export const duplicateMembers = sqliteTable(
  'duplicate_members',
  {
    trackId: integer('track_id')
      .$type<TrackId>()
      .primaryKey()
      .references(() => trackFingerprints.trackId, { onDelete: 'cascade' }),
    groupId: integer('group_id').notNull(), // rises: the group that changed last has the highest
  },
  (t) => [index('duplicate_members_group_id').on(t.groupId, t.trackId)],
);

/** enrichment/: two tracks that a person says are not the same; the lower id first. */
export const duplicateDismissals = sqliteTable(
  'duplicate_dismissals',
  {
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    otherId: integer('other_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    userId: integer('user_id')
      .$type<UserId>()
      .references(() => users.id, { onDelete: 'set null' }),
    createdAt: time('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.trackId, t.otherId] }),
    index('duplicate_dismissals_other_id').on(t.otherId),
    index('duplicate_dismissals_user_id').on(t.userId),
  ],
);

// ---- enrichment/: what tracks are ----

/** enrichment/: the recordings that a track may be, as the last look-up gave them; n from 1, best first. */
export const enrichmentMatches = sqliteTable(
  'enrichment_matches',
  {
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    n: integer('n').notNull(),
    match: json<unknown>('match').notNull(), // enrichment/match.ts
  },
  (t) => [primaryKey({ columns: [t.trackId, t.n] })],
);

export type ReviewReason = 'low_score' | 'tags_disagree';

/** enrichment/: a track that a person may want to look at. Goes by a trigger when the track is edited by hand. */
export const enrichmentReviews = sqliteTable(
  'enrichment_reviews',
  {
    trackId: integer('track_id')
      .$type<TrackId>()
      .primaryKey()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    reason: text('reason').$type<ReviewReason>().notNull(),
    match: json<unknown>('match').notNull(), // the best one
    differences: json<unknown>('differences').notNull(), // [{field, tag, match}]
    createdAt: time('created_at').notNull(),
    dismissedAt: time('dismissed_at'), // not shown again while the best match stays the same
  },
  (t) => [
    index('enrichment_reviews_open')
      .on(t.createdAt, t.trackId)
      .where(sql`dismissed_at IS NULL`),
  ],
);

/**
 * enrichment/: what a track was before the last enrichment that changed it. Goes by a trigger when the track is changed
 * in any other way.
 */
export const enrichmentUndo = sqliteTable('enrichment_undo', {
  trackId: integer('track_id')
    .$type<TrackId>()
    .primaryKey()
    .references(() => tracks.id, { onDelete: 'cascade' }),
  previous: json<unknown>('previous').notNull(),
  createdAt: time('created_at').notNull(),
});

/** enrichment/: a track about which a service that was down (look-up or details) is to be asked again. */
export const enrichmentUnanswered = sqliteTable('enrichment_unanswered', {
  trackId: integer('track_id')
    .$type<TrackId>()
    .primaryKey()
    .references(() => tracks.id, { onDelete: 'cascade' }),
  askedAt: time('asked_at').notNull(),
});

// ---- jobs/ ----

export type JobStatus = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';

/** jobs/: a piece of background work, kept after it ended. */
export const jobs = sqliteTable(
  'jobs',
  {
    id: id<JobId>(),
    task: text('task').notNull(),
    payload: json<unknown>('payload').notNull(),
    uniqueKey: text('unique_key'), // one unfinished job per key
    status: text('status').$type<JobStatus>().notNull(),
    attempts: integer('attempts').notNull().default(0),
    maxAttempts: integer('max_attempts').notNull(),
    progressDone: integer('progress_done'),
    progressTotal: integer('progress_total'),
    progressMessage: text('progress_message'),
    result: json<unknown>('result'),
    error: text('error'),
    runAt: time('run_at').notNull(), // not before
    createdAt: time('created_at').notNull(),
    startedAt: time('started_at'),
    finishedAt: time('finished_at'),
  },
  (t) => [
    uniqueIndex('jobs_unique_key_unfinished')
      .on(t.uniqueKey)
      .where(sql`status IN ('queued', 'running', 'waiting')`),
    index('jobs_status').on(t.status, t.id),
    index('jobs_task').on(t.task, t.id),
  ],
);

/** jobs/: the store behind better-queue. A row is a task that still has to run; no lock means it waits. */
export const queueTasks = sqliteTable(
  'queue_tasks',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }), // order of arrival
    id: text('id').notNull(), // the job's id
    queue: text('queue').notNull(), // name of the task
    task: text('task').notNull(), // JSON that better-queue hands to the worker
    priority: integer('priority').notNull().default(0), // higher first
    runAt: integer('run_at').notNull(), // ms; not taken before
    lock: text('lock'),
  },
  (t) => [
    uniqueIndex('queue_tasks_id_unique').on(t.queue, t.id),
    index('queue_tasks_waiting').on(t.queue, t.lock, t.priority, t.runAt, t.seq),
  ],
);

// ---- likes/, history/ ----

export type ItemType = 'track' | 'album' | 'artist';

/** likes/: something a person liked, un-liked or rated. Never updated, never deleted. */
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
    rating: integer('rating'), // 0..5; null leaves the rating as it was
    createdAt: time('created_at').notNull(),
  },
  (t) => [index('like_events_user_id').on(t.userId, t.id)],
);

/** likes/: the state that the events of an item add up to. */
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
    rating: integer('rating').notNull().default(0),
    since: time('since').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.itemType, t.itemId] }),
    index('like_states_liked').on(t.userId, t.itemType, t.liked, t.since),
  ],
);

/**
 * history/: one play. What was played stays readable after its track is gone, and before there is one (an import).
 * Never deleted.
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
    playedMs: integer('played_ms'), // how long was listened; null when the client did not say
    client: text('client'),
    albumTitle: text('album_title'),
    durationMs: integer('duration_ms'), // length of the track then
    recordingMbid: text('recording_mbid'),
    songKey: integer('song_key'), // hash of the folded artist and title, see history/song-names.ts
    withdrawnAt: time('withdrawn_at'), // taken back: counts nowhere, and is not reported anew
  },
  (t) => [
    // a partial one would have to read the rows
    index('plays_user_played_at').on(t.userId, t.withdrawnAt, t.playedAt, t.id),
    index('plays_track_id').on(t.trackId, t.userId, t.playedAt),
    uniqueIndex('plays_once').on(t.userId, t.songKey, t.playedAt),
    index('plays_unmatched')
      .on(t.songKey, t.id)
      .where(sql`track_id IS NULL`),
  ],
);

/** What plays are counted of; `all` (with id 0) is everything a person played. */
export type PlayedType = ItemType | 'all';

/** history/: how often and when last a person played an item; kept by triggers. */
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
    lastPlayedAt: time('last_played_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.itemType, t.itemId] }),
    index('play_counts_plays').on(t.userId, t.itemType, t.plays, t.itemId),
    index('play_counts_last').on(t.userId, t.itemType, t.lastPlayedAt, t.itemId),
  ],
);

export type HistoryImportStatus = 'queued' | 'running' | 'done' | 'failed';

/** history/: a file of plays from another service, and what became of it. The file itself is kept until it was read. */
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
    known: integer('known').notNull().default(0), // were in the history already
    unmatched: integer('unmatched').notNull().default(0), // of the added ones: with no track here
    unreadable: integer('unreadable').notNull().default(0),
    unmatchedSongs: json<unknown>('unmatched_songs').notNull(), // the most played: [{title, artist_name, plays}]
    error: text('error'),
    createdAt: time('created_at').notNull(),
    finishedAt: time('finished_at'),
  },
  (t) => [index('history_imports_user_id').on(t.userId, t.id)],
);

/** history/: a person's account at the scrobbling service. */
export const scrobbleAccounts = sqliteTable('scrobble_accounts', {
  userId: integer('user_id')
    .$type<UserId>()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  token: blob('token').notNull(), // sealed, see config/sealed-text.ts
  tokenSalt: blob('token_salt').notNull(),
  username: text('username').notNull(), // at the service
  problem: text('problem'), // a sentence for the person; null while all is well
  // the token was refused: nothing is sent until there is another
  isStopped: flag('is_stopped').notNull().default(false),
  submitted: integer('submitted').notNull().default(0),
  lastSubmittedAt: time('last_submitted_at'),
  createdAt: time('created_at').notNull(),
});

/** history/: a play that the scrobbling service does not have yet. */
export const scrobbleQueue = sqliteTable(
  'scrobble_queue',
  {
    playId: integer('play_id')
      .$type<PlayId>()
      .primaryKey()
      .references(() => plays.id, { onDelete: 'cascade' }),
    userId: integer('user_id')
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    refusal: text('refusal'), // why the service does not take it; it is not offered again
  },
  (t) => [index('scrobble_queue_user_id').on(t.userId, t.refusal, t.playId)],
);

// ---- playback/ ----

/** playback/: what a person was playing, to be gone on with on another device. Tracks may have been deleted since. */
export const playQueues = sqliteTable('play_queues', {
  userId: integer('user_id')
    .$type<UserId>()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  trackIds: text('track_ids').notNull(), // JSON; one text, because every save writes all of it
  currentIndex: integer('current_index').notNull(), // 0 when the queue is empty
  positionMs: integer('position_ms').notNull(),
  client: text('client'),
  updatedAt: time('updated_at').notNull(),
});

/** playback/: a place in a track to come back to. */
export const bookmarks = sqliteTable(
  'bookmarks',
  {
    userId: integer('user_id')
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    positionMs: integer('position_ms').notNull(),
    comment: text('comment'),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.trackId] }),
    index('bookmarks_track_id').on(t.trackId),
    index('bookmarks_updated_at').on(t.userId, t.updatedAt, t.trackId),
  ],
);

// ---- playlists/ ----

/** playlists/: a list of tracks that belongs to a person. */
export const playlists = sqliteTable(
  'playlists',
  {
    id: id<PlaylistId>(),
    ownerId: integer('owner_id')
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    description: text('description'),
    isPublic: flag('is_public').notNull().default(false), // everybody may read it
    version: integer('version').notNull().default(1),
    rules: json<unknown>('rules'), // of a smart playlist, as on the wire; null for an ordinary one
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
    trackCount: integer('track_count').notNull().default(0), // this and the next kept by triggers; 0 for a smart one
    durationMs: integer('duration_ms').notNull().default(0),
    deletedAt: time('deleted_at'), // kept, so that it can be brought back
  },
  (t) => [
    index('playlists_owner_id').on(t.ownerId, t.id),
    index('playlists_public')
      .on(t.id)
      .where(sql`is_public = 1`),
  ],
);

/** playlists/: a track's place in a list as it is now. */
export const playlistEntries = sqliteTable(
  'playlist_entries',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    playlistId: integer('playlist_id')
      .$type<PlaylistId>()
      .notNull()
      .references(() => playlists.id, { onDelete: 'cascade' }),
    position: integer('position').notNull(), // orders, with wide gaps between; see playlists/positions.ts
    trackId: integer('track_id')
      .$type<TrackId>()
      .notNull()
      .references(() => tracks.id, { onDelete: 'cascade' }),
    addedAt: time('added_at').notNull(),
    sinceVersion: integer('since_version').notNull().default(1), // of the list, since when it is at this place
  },
  (t) => [
    index('playlist_entries_position').on(t.playlistId, t.position, t.id),
    index('playlist_entries_track_id').on(t.trackId),
  ],
);

/**
 * playlists/: a place that a track had from one version of a list until another. Together with the entries it is every
 * version there ever was.
 */
export const playlistPastEntries = sqliteTable(
  'playlist_past_entries',
  {
    playlistId: integer('playlist_id')
      .$type<PlaylistId>()
      .notNull()
      .references(() => playlists.id, { onDelete: 'cascade' }),
    untilVersion: integer('until_version').notNull(), // the first version without it
    entryId: integer('entry_id').notNull(),
    sinceVersion: integer('since_version').notNull(),
    position: integer('position').notNull(),
    trackId: integer('track_id').$type<TrackId>().notNull(), // follows merges; the track may have left the library
    addedAt: time('added_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.playlistId, t.untilVersion, t.entryId] }),
    index('playlist_past_entries_track_id').on(t.trackId),
  ],
);

/** What made a version of a playlist. */
export type PlaylistChange =
  | 'create'
  | 'add'
  | 'remove'
  | 'reorder'
  | 'replace'
  | 'restore'
  | 'import'
  | 'rules'
  | 'track_deleted'
  | 'track_restored';

/** playlists/: every version a list ever had, and what made it. Append-only. */
export const playlistVersions = sqliteTable(
  'playlist_versions',
  {
    playlistId: integer('playlist_id')
      .$type<PlaylistId>()
      .notNull()
      .references(() => playlists.id, { onDelete: 'cascade' }),
    version: integer('version').notNull(),
    change: text('change').$type<PlaylistChange>().notNull(),
    added: integer('added').notNull(), // entries; this and the next two against the version before
    removed: integer('removed').notNull(),
    moved: integer('moved').notNull(),
    trackCount: integer('track_count').notNull(), // then
    rules: json<unknown>('rules'), // of a smart playlist then
    userId: integer('user_id')
      .$type<UserId>()
      .references(() => users.id, { onDelete: 'set null' }), // null: the library did it
    createdAt: time('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.playlistId, t.version] })],
);

/** playlists/: what a track was that some list had when it left the library. Written by a trigger. */
export const playlistLostTracks = sqliteTable('playlist_lost_tracks', {
  trackId: integer('track_id').$type<TrackId>().primaryKey(),
  title: text('title').notNull(),
  artistName: text('artist_name'),
  albumTitle: text('album_title'),
  durationMs: integer('duration_ms'),
  recordingMbid: text('recording_mbid'),
  source: text('source').notNull(),
  sourceId: text('source_id').notNull(),
});

// ---- radio/, shares/ ----

/** radio/: a station on the internet; everybody's. */
export const radioStations = sqliteTable('radio_stations', {
  id: id<RadioStationId>(),
  name: text('name').notNull(),
  streamUrl: text('stream_url').notNull(),
  homePageUrl: text('home_page_url'),
  createdAt: time('created_at').notNull(),
});

/** shares/: tracks that a person lets others hear without an account, by an address that cannot be guessed. */
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
    expiresAt: time('expires_at'), // null: never
    lastVisitedAt: time('last_visited_at'),
    visitCount: integer('visit_count').notNull().default(0),
    createdAt: time('created_at').notNull(),
  },
  (t) => [uniqueIndex('shares_token_unique').on(t.token), index('shares_user_id').on(t.userId, t.id)],
);

/** shares/: what a share lets hear, as it was when it was made. */
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
