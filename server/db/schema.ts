// The schema is its own documentation: each table opens with its owner room (the only one that writes it) and what a row means;
// each unobvious column ends with its unit or allowed values. Triggers and search tables are in migrations/, written by hand; so is
// WITHOUT ROWID on the tables whose key is their order (album_keys, track_artists, track_genres, source_files, like_states, play_counts,
// playlist_versions), which halves what a scan writes there.
import { sql } from 'drizzle-orm';
import { customType, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { AlbumId, ArtistId, DownloadId, GenreId, JobId, PlaylistId, TrackId, UserId } from './ids.ts';

const time = (name: string) => integer(name, { mode: 'timestamp_ms' });
const flag = (name: string) => integer(name, { mode: 'boolean' });
const id = <T extends number>() => integer('id').primaryKey({ autoIncrement: true }).$type<T>();
const blob = customType<{ data: Uint8Array }>({ dataType: () => 'blob' });
/** JSON text. Parsed where it is read, since a row may be older than the code. */
const json = <T>(name: string) => text(name, { mode: 'json' }).$type<T>();

// ---- auth/ ----

/** auth/: a person who may sign in. */
export const users = sqliteTable('users', {
  id: id<UserId>(),
  username: text('username').notNull(),
  usernameKey: text('username_key').notNull(), // folded, for uniqueness ignoring case
  passwordHash: text('password_hash').notNull(), // argon2id, PHC string
  isSuperuser: flag('is_superuser').notNull().default(false),
  tokenVersion: integer('token_version').notNull().default(1), // raised when the password changes; older tokens end
  appPassword: blob('app_password'), // AES-256-GCM: 12 bytes IV, ciphertext, 16 bytes tag
  appPasswordSalt: blob('app_password_salt'), // HKDF salt, 16 bytes
  appPasswordLookup: text('app_password_lookup'), // keyed hash of the app-password, hex; finds an apiKey
  createdAt: time('created_at').notNull(),
  lastSeenAt: time('last_seen_at'),
}, (t) => [
  uniqueIndex('users_username_key_unique').on(t.usernameKey),
  uniqueIndex('users_app_password_lookup_unique').on(t.appPasswordLookup),
]);

// ---- library/ ----

/** library/: a person or group that made music. Identity is the folded name. */
export const artists = sqliteTable('artists', {
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
}, (t) => [
  uniqueIndex('artists_name_key_unique').on(t.nameKey),
  index('artists_sort_key').on(t.sortKey, t.id),
  index('artists_created_at').on(t.createdAt, t.id),
]);

/** library/: a release group as the person sees it; all discs of a set and all tracks of a compilation are one album. */
export const albums = sqliteTable('albums', {
  id: id<AlbumId>(),
  title: text('title').notNull(),
  titleSort: text('title_sort').notNull(), // folded, accents removed
  artistId: integer('artist_id').$type<ArtistId>().references(() => artists.id), // album artist; null when unknown
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
}, (t) => [
  index('albums_title_sort').on(t.titleSort, t.id),
  index('albums_artist_sort').on(t.artistSort, t.year, t.titleSort, t.id),
  index('albums_year').on(t.year, t.id),
  index('albums_created_at').on(t.createdAt, t.id),
  index('albums_artist_id').on(t.artistId, t.year, t.id),
]);

/** library/: the names by which an album is found (`rg:<mbid>`, `t:<artist id>:<folded title>`, line break, `<year>`; the same after `f:<folder id>:`); see library/resolve.ts. */
export const albumKeys = sqliteTable('album_keys', {
  key: text('key').primaryKey(),
  albumId: integer('album_id').$type<AlbumId>().notNull().references(() => albums.id, { onDelete: 'cascade' }),
}, (t) => [index('album_keys_album_id').on(t.albumId)]);

export type Availability = 'available' | 'remote' | 'fetching' | 'missing';
export type MetadataStatus = 'pending' | 'enriched' | 'failed' | 'manual';
/** Where a field's value came from (decisions 8). */
export type Origin = 'tag' | 'fpid' | 'manual' | 'path';

/** library/: one piece of music that the library knows, with or without its audio. */
export const tracks = sqliteTable('tracks', {
  id: id<TrackId>(),
  title: text('title').notNull(),
  titleSort: text('title_sort').notNull(),
  artistId: integer('artist_id').$type<ArtistId>().references(() => artists.id), // first credited artist
  artistName: text('artist_name'), // the credit as written: `A feat. B`
  artistSort: text('artist_sort').notNull(),
  albumId: integer('album_id').$type<AlbumId>().references(() => albums.id),
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
  storageUri: text('storage_uri'), // local:<key>, s3:<key>, file:<relative path>; null for a placeholder
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
}, (t) => [
  uniqueIndex('tracks_source_source_id_unique').on(t.source, t.sourceId),
  index('tracks_title_sort').on(t.titleSort, t.id),
  index('tracks_artist_sort').on(t.artistSort, t.albumSort, t.albumId, t.discNumber, t.trackNumber, t.id),
  index('tracks_album_sort').on(t.albumSort, t.albumId, t.discNumber, t.trackNumber, t.id),
  index('tracks_year').on(t.year, t.id),
  index('tracks_created_at').on(t.createdAt, t.id),
  index('tracks_duration').on(t.durationMs, t.id),
  index('tracks_album_id').on(t.albumId, t.discNumber, t.trackNumber, t.id),
  index('tracks_artist_id').on(t.artistId),
  index('tracks_storage_uri').on(t.storageUri),
  index('tracks_content_hash').on(t.contentHash),
  index('tracks_audio_hash').on(t.audioHash).where(sql`audio_hash IS NOT NULL`),
  index('tracks_unhashed').on(t.source, t.id).where(sql`audio_hash IS NULL AND storage_uri IS NOT NULL`),
  index('tracks_recording_mbid').on(t.recordingMbid).where(sql`recording_mbid IS NOT NULL`),
  index('tracks_metadata_status').on(t.metadataStatus, t.id),
  index('tracks_not_available').on(t.availability, t.id).where(sql`availability <> 'available'`),
]);

/** library/: who made a track, in order of credit. */
export const trackArtists = sqliteTable('track_artists', {
  trackId: integer('track_id').$type<TrackId>().notNull().references(() => tracks.id, { onDelete: 'cascade' }),
  position: integer('position').notNull(),
  artistId: integer('artist_id').$type<ArtistId>().notNull().references(() => artists.id),
  credit: text('credit').notNull(), // the name as this file spells it
}, (t) => [primaryKey({ columns: [t.trackId, t.position] }), index('track_artists_artist_id').on(t.artistId, t.trackId)]);

/** library/: a genre as some track spells it. */
export const genres = sqliteTable('genres', {
  id: id<GenreId>(),
  name: text('name').notNull(),
  nameKey: text('name_key').notNull(),
}, (t) => [uniqueIndex('genres_name_key_unique').on(t.nameKey)]);

/** library/: genres of a track, first is the main one. */
export const trackGenres = sqliteTable('track_genres', {
  trackId: integer('track_id').$type<TrackId>().notNull().references(() => tracks.id, { onDelete: 'cascade' }),
  position: integer('position').notNull(),
  genreId: integer('genre_id').$type<GenreId>().notNull().references(() => genres.id),
}, (t) => [primaryKey({ columns: [t.trackId, t.position] }), index('track_genres_genre_id').on(t.genreId, t.trackId)]);

/** library/: lyrics found in the file or beside it. */
export const lyrics = sqliteTable('lyrics', {
  trackId: integer('track_id').$type<TrackId>().primaryKey().references(() => tracks.id, { onDelete: 'cascade' }),
  synced: flag('synced').notNull(),
  lines: json<{ startMs?: number; text: string }[]>('lines').notNull(),
});

// ---- covers/ ----

/** covers/: what is known of an album's cover. A row without a key says that none was found when it was looked for. */
export const albumCovers = sqliteTable('album_covers', {
  albumId: integer('album_id').$type<AlbumId>().primaryKey().references(() => albums.id, { onDelete: 'cascade' }),
  key: text('key'), // storage key, covers/{album_id}.{ext}
  etag: text('etag'), // hash of the picture's bytes
  origin: text('origin').$type<'embedded' | 'folder' | 'archive' | 'manual'>(),
  checkedAt: time('checked_at').notNull(),
});

// ---- ingest/ ----

/** ingest/: a folder below the import path as the last scan saw it. */
export const sourceFolders = sqliteTable('source_folders', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  source: text('source').notNull(),
  path: text('path').notNull(), // relative, `/` between parts, as spelled on disk; '' is the import path itself
  imageName: text('image_name'), // best picture for a cover (cover, folder, front)
  signature: text('signature'), // of its listing, so that an unchanged folder can be passed over
}, (t) => [uniqueIndex('source_folders_source_path_unique').on(t.source, t.path)]);

/** ingest/: a file below the import path and what became of it. Kept also for failed and deleted ones, so that they are not opened again until they change. */
export const sourceFiles = sqliteTable('source_files', {
  folderId: integer('folder_id').notNull().references(() => sourceFolders.id, { onDelete: 'cascade' }),
  name: text('name').notNull(), // as spelled on disk; bytes that are no UTF-8 as \xNN
  sizeBytes: integer('size_bytes').notNull(),
  mtimeUs: integer('mtime_us').notNull(), // microseconds
  dev: real('dev').notNull(), // real: identifiers may be wider than 53 bits
  ino: real('ino').notNull(),
  state: text('state').$type<'track' | 'failed' | 'deleted' | 'gone'>().notNull(),
  reason: text('reason'), // why it failed
  trackId: integer('track_id').$type<TrackId>().references(() => tracks.id, { onDelete: 'set null' }),
}, (t) => [primaryKey({ columns: [t.folderId, t.name] }), index('source_files_track_id').on(t.trackId), index('source_files_ino').on(t.ino)]);

/** ingest/: a fetch of a remote track's audio. */
export const downloads = sqliteTable('downloads', {
  id: id<DownloadId>(),
  source: text('source').notNull(),
  sourceId: text('source_id').notNull(),
  trackId: integer('track_id').$type<TrackId>().references(() => tracks.id, { onDelete: 'set null' }),
  userId: integer('user_id').$type<UserId>().references(() => users.id, { onDelete: 'set null' }),
  status: text('status').$type<'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled'>().notNull(),
  attempts: integer('attempts').notNull().default(0),
  maxAttempts: integer('max_attempts').notNull().default(5),
  bytesDone: integer('bytes_done').notNull().default(0),
  bytesTotal: integer('bytes_total'),
  error: text('error'),
  nextAttemptAt: time('next_attempt_at'),
  createdAt: time('created_at').notNull(),
  updatedAt: time('updated_at').notNull(),
}, (t) => [index('downloads_track_id').on(t.trackId), index('downloads_created_at').on(t.createdAt, t.id)]);

// ---- jobs/ ----

export type JobStatus = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';

/** jobs/: a piece of background work, kept after it ended. */
export const jobs = sqliteTable('jobs', {
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
}, (t) => [
  uniqueIndex('jobs_unique_key_unfinished').on(t.uniqueKey).where(sql`status IN ('queued', 'running', 'waiting')`),
  index('jobs_status').on(t.status, t.id),
  index('jobs_task').on(t.task, t.id),
]);

/** jobs/: the store behind better-queue. A row is a task that still has to run; no lock means it waits. */
export const queueTasks = sqliteTable('queue_tasks', {
  seq: integer('seq').primaryKey({ autoIncrement: true }), // order of arrival
  id: text('id').notNull(), // the job's id
  queue: text('queue').notNull(), // name of the task
  task: text('task').notNull(), // JSON that better-queue hands to the worker
  priority: integer('priority').notNull().default(0), // higher first
  runAt: integer('run_at').notNull(), // ms; not taken before
  lock: text('lock'),
}, (t) => [
  uniqueIndex('queue_tasks_id_unique').on(t.queue, t.id),
  index('queue_tasks_waiting').on(t.queue, t.lock, t.priority, t.runAt, t.seq),
]);

// ---- likes/, history/ ----

export type ItemType = 'track' | 'album' | 'artist';

/** likes/: something a person liked, un-liked or rated. Never updated, never deleted. */
export const likeEvents = sqliteTable('like_events', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  userId: integer('user_id').$type<UserId>().notNull().references(() => users.id, { onDelete: 'cascade' }),
  itemType: text('item_type').$type<ItemType>().notNull(),
  itemId: integer('item_id').notNull(),
  liked: flag('liked').notNull(),
  rating: integer('rating'), // 0..5; null leaves the rating as it was
  createdAt: time('created_at').notNull(),
}, (t) => [index('like_events_user_id').on(t.userId, t.id)]);

/** likes/: the state that the events of an item add up to. */
export const likeStates = sqliteTable('like_states', {
  userId: integer('user_id').$type<UserId>().notNull().references(() => users.id, { onDelete: 'cascade' }),
  itemType: text('item_type').$type<ItemType>().notNull(),
  itemId: integer('item_id').notNull(),
  liked: flag('liked').notNull(),
  rating: integer('rating').notNull().default(0),
  since: time('since').notNull(),
}, (t) => [primaryKey({ columns: [t.userId, t.itemType, t.itemId] }), index('like_states_liked').on(t.userId, t.itemType, t.liked, t.since)]);

/** history/: one play. What was played stays readable after its track is gone. */
export const plays = sqliteTable('plays', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  userId: integer('user_id').$type<UserId>().notNull().references(() => users.id, { onDelete: 'cascade' }),
  trackId: integer('track_id').$type<TrackId>().references(() => tracks.id, { onDelete: 'set null' }),
  title: text('title').notNull(),
  artistName: text('artist_name'),
  playedAt: time('played_at').notNull(),
  playedMs: integer('played_ms'),
  client: text('client'),
}, (t) => [index('plays_user_played_at').on(t.userId, t.playedAt, t.id), index('plays_track_id').on(t.trackId)]);

/** history/: how often and when last a person played an item. */
export const playCounts = sqliteTable('play_counts', {
  userId: integer('user_id').$type<UserId>().notNull().references(() => users.id, { onDelete: 'cascade' }),
  itemType: text('item_type').$type<ItemType>().notNull(),
  itemId: integer('item_id').notNull(),
  plays: integer('plays').notNull(),
  lastPlayedAt: time('last_played_at').notNull(),
}, (t) => [
  primaryKey({ columns: [t.userId, t.itemType, t.itemId] }),
  index('play_counts_plays').on(t.userId, t.itemType, t.plays, t.itemId),
  index('play_counts_last').on(t.userId, t.itemType, t.lastPlayedAt, t.itemId),
]);

// ---- playlists/ ----

/** playlists/: a list of tracks that belongs to a person. */
export const playlists = sqliteTable('playlists', {
  id: id<PlaylistId>(),
  ownerId: integer('owner_id').$type<UserId>().notNull().references(() => users.id, { onDelete: 'cascade' }),
  name: text('name').notNull(),
  description: text('description'),
  isPublic: flag('is_public').notNull().default(false),
  version: integer('version').notNull().default(1),
  rules: json<unknown>('rules'), // of a smart playlist
  createdAt: time('created_at').notNull(),
  updatedAt: time('updated_at').notNull(),
}, (t) => [index('playlists_owner_id').on(t.ownerId, t.id)]);

/** playlists/: a track's place in a list. */
export const playlistEntries = sqliteTable('playlist_entries', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  playlistId: integer('playlist_id').$type<PlaylistId>().notNull().references(() => playlists.id, { onDelete: 'cascade' }),
  position: integer('position').notNull(),
  trackId: integer('track_id').$type<TrackId>().notNull().references(() => tracks.id, { onDelete: 'cascade' }),
  addedAt: time('added_at').notNull(),
}, (t) => [index('playlist_entries_position').on(t.playlistId, t.position, t.id), index('playlist_entries_track_id').on(t.trackId)]);

/** playlists/: every version a list ever had. Append-only. */
export const playlistVersions = sqliteTable('playlist_versions', {
  playlistId: integer('playlist_id').$type<PlaylistId>().notNull().references(() => playlists.id, { onDelete: 'cascade' }),
  version: integer('version').notNull(),
  change: text('change').notNull(), // add, remove, reorder, restore, import
  entries: json<unknown>('entries').notNull(),
  userId: integer('user_id').$type<UserId>().references(() => users.id, { onDelete: 'set null' }),
  createdAt: time('created_at').notNull(),
}, (t) => [primaryKey({ columns: [t.playlistId, t.version] })]);
