// The routes of the REST API, made from its OpenAPI document by scripts/rest-types.ts.

export interface PagedResponse {
  items: unknown[];
  total: number;
  limit: number;
  offset: number;
}
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  errors?: { field: string; message: string; received?: string | undefined }[] | undefined;
}
export interface HealthOut {
  status: 'ok' | 'degraded';
  version: string;
  database: 'ok' | 'down';
  queue: 'ok' | 'down';
  storage: 'ok' | 'down';
  problems: ProblemCode[];
  ages: { scan: number | null; backup: number | null; backup_check: number | null } | null;
}
export type ProblemCode =
  | 'database_gone'
  | 'database_locked'
  | 'database_failing'
  | 'disk_full'
  | 'data_folder'
  | 'log_failing'
  | 'clock_doubted'
  | 'storage_down'
  | 'music_folder_unset'
  | 'music_folder_away';
export interface SettingsOut {
  items: SettingOut[];
  can_test_storage: boolean;
  secret_store: { place: 'file' | 'keychain'; why_not: string | null };
}
export interface SettingOut {
  key: string;
  value: string | number | boolean | null;
  is_set: boolean;
  origin: 'default' | 'file' | 'env';
  group: 'general' | 'library' | 'storage' | 'backup' | 'metadata' | 'network' | 'remote' | 'accounts';
  help: string;
  restart_needed: boolean;
  restart_pending: boolean;
  secret: boolean;
  unit: 'bytes' | 'duration' | 'folder' | null;
  advanced: boolean;
  is_in_use: boolean;
  choices?: string[] | undefined;
}
export interface SettingsPatch {
  data_dir?: (string | number | boolean | null) | undefined;
  log_level?: (string | number | boolean | null) | undefined;
  log_files?: (string | number | boolean | null) | undefined;
  secret_store?: (string | number | boolean | null) | undefined;
  host?: (string | number | boolean | null) | undefined;
  port?: (string | number | boolean | null) | undefined;
  allowed_hosts?: (string | number | boolean | null) | undefined;
  trusted_proxies?: (string | number | boolean | null) | undefined;
  metrics_token?: (string | number | boolean | null) | undefined;
  metrics_open?: (string | number | boolean | null) | undefined;
  storage_backend?: (string | number | boolean | null) | undefined;
  storage_root?: (string | number | boolean | null) | undefined;
  s3_provider?: (string | number | boolean | null) | undefined;
  s3_endpoint?: (string | number | boolean | null) | undefined;
  s3_region?: (string | number | boolean | null) | undefined;
  s3_bucket?: (string | number | boolean | null) | undefined;
  s3_prefix?: (string | number | boolean | null) | undefined;
  s3_access_key_id?: (string | number | boolean | null) | undefined;
  s3_secret_access_key?: (string | number | boolean | null) | undefined;
  s3_force_path_style?: (string | number | boolean | null) | undefined;
  s3_checksums?: (string | number | boolean | null) | undefined;
  backup_s3_provider?: (string | number | boolean | null) | undefined;
  backup_s3_endpoint?: (string | number | boolean | null) | undefined;
  backup_s3_region?: (string | number | boolean | null) | undefined;
  backup_s3_bucket?: (string | number | boolean | null) | undefined;
  backup_s3_prefix?: (string | number | boolean | null) | undefined;
  backup_s3_access_key_id?: (string | number | boolean | null) | undefined;
  backup_s3_secret_access_key?: (string | number | boolean | null) | undefined;
  backup_s3_force_path_style?: (string | number | boolean | null) | undefined;
  backup_s3_checksums?: (string | number | boolean | null) | undefined;
  backup_target?: (string | number | boolean | null) | undefined;
  backup_schedule?: (string | number | boolean | null) | undefined;
  backup_keep_daily?: (string | number | boolean | null) | undefined;
  backup_keep_weekly?: (string | number | boolean | null) | undefined;
  backup_check_percent?: (string | number | boolean | null) | undefined;
  backup_passphrase?: (string | number | boolean | null) | undefined;
  backup_include_keys?: (string | number | boolean | null) | undefined;
  backup_include_referenced?: (string | number | boolean | null) | undefined;
  verify_days?: (string | number | boolean | null) | undefined;
  max_upload_bytes?: (string | number | boolean | null) | undefined;
  min_free_bytes?: (string | number | boolean | null) | undefined;
  local_media_import_path?: (string | number | boolean | null) | undefined;
  local_media_import_mode?: (string | number | boolean | null) | undefined;
  local_media_watch?: (string | number | boolean | null) | undefined;
  local_media_ignore?: (string | number | boolean | null) | undefined;
  playlist_files?: (string | number | boolean | null) | undefined;
  playlist_files_owner?: (string | number | boolean | null) | undefined;
  playlist_files_public?: (string | number | boolean | null) | undefined;
  playlist_export_path?: (string | number | boolean | null) | undefined;
  artist_separators?: (string | number | boolean | null) | undefined;
  genre_separators?: (string | number | boolean | null) | undefined;
  mood_separators?: (string | number | boolean | null) | undefined;
  credit_separators?: (string | number | boolean | null) | undefined;
  custom_tags?: (string | number | boolean | null) | undefined;
  allow_registration?: (string | number | boolean | null) | undefined;
  jwt_secret?: (string | number | boolean | null) | undefined;
  access_token_ttl?: (string | number | boolean | null) | undefined;
  compat_secret_key?: (string | number | boolean | null) | undefined;
  admin_username?: (string | number | boolean | null) | undefined;
  admin_password?: (string | number | boolean | null) | undefined;
  analysis_enabled?: (string | number | boolean | null) | undefined;
  analysis_on_battery?: (string | number | boolean | null) | undefined;
  fpid_enabled?: (string | number | boolean | null) | undefined;
  fpid_api_key?: (string | number | boolean | null) | undefined;
  fpid_base_url?: (string | number | boolean | null) | undefined;
  fpid_trust_score?: (string | number | boolean | null) | undefined;
  fpid_rate_per_second?: (string | number | boolean | null) | undefined;
  musicbrainz_enabled?: (string | number | boolean | null) | undefined;
  musicbrainz_base_url?: (string | number | boolean | null) | undefined;
  contact?: (string | number | boolean | null) | undefined;
  coverart_enabled?: (string | number | boolean | null) | undefined;
  coverart_base_url?: (string | number | boolean | null) | undefined;
  tag_ratings_account?: (string | number | boolean | null) | undefined;
  lyrics_enabled?: (string | number | boolean | null) | undefined;
  lyrics_base_url?: (string | number | boolean | null) | undefined;
  lyrics_write_files?: (string | number | boolean | null) | undefined;
  artist_info_enabled?: (string | number | boolean | null) | undefined;
  wikidata_base_url?: (string | number | boolean | null) | undefined;
  wikipedia_base_url?: (string | number | boolean | null) | undefined;
  commons_base_url?: (string | number | boolean | null) | undefined;
  listenbrainz_enabled?: (string | number | boolean | null) | undefined;
  listenbrainz_base_url?: (string | number | boolean | null) | undefined;
  lastfm_api_key?: (string | number | boolean | null) | undefined;
  lastfm_api_secret?: (string | number | boolean | null) | undefined;
  lastfm_base_url?: (string | number | boolean | null) | undefined;
  librefm_enabled?: (string | number | boolean | null) | undefined;
  librefm_base_url?: (string | number | boolean | null) | undefined;
  maloja_enabled?: (string | number | boolean | null) | undefined;
  ffmpeg_path?: (string | number | boolean | null) | undefined;
  transcode_processes?: (string | number | boolean | null) | undefined;
  transcode_cache_bytes?: (string | number | boolean | null) | undefined;
  store_cache_bytes?: (string | number | boolean | null) | undefined;
  fpcalc_path?: (string | number | boolean | null) | undefined;
  streamsrc_enabled?: (string | number | boolean | null) | undefined;
  streamsrc_provider?: (string | number | boolean | null) | undefined;
  streamsrc_base_url?: (string | number | boolean | null) | undefined;
  streamsrc_cookies_file?: (string | number | boolean | null) | undefined;
  streamsrc_command?: (string | number | boolean | null) | undefined;
  streamsrc_search_template?: (string | number | boolean | null) | undefined;
  streamsrc_extractors?: (string | number | boolean | null) | undefined;
  streamsrc_username?: (string | number | boolean | null) | undefined;
  streamsrc_password?: (string | number | boolean | null) | undefined;
  podcast_refresh_hours?: (string | number | boolean | null) | undefined;
  podcast_download_newest?: (string | number | boolean | null) | undefined;
  podcast_max_bytes?: (string | number | boolean | null) | undefined;
  subsonic_remote_tracks?: (string | number | boolean | null) | undefined;
}
export interface ServerOut {
  version: string;
  node: string;
  platform: string;
}
export interface PagedJobs {
  items: JobOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface JobOut {
  id: number;
  task: string;
  status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
  attempts: number;
  max_attempts: number;
  progress: { done: number; total: number | null; message: string | null } | null;
  result: unknown;
  error: string | null;
  is_put_aside: boolean;
  next_attempt_at: string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}
export interface AuthStatus {
  setup_required: boolean;
  registration_allowed: boolean;
  admin_name_taken: boolean;
  version: string;
}
export interface LoginBody {
  username: string;
  password: string;
}
export interface TokenResponse {
  access_token: string;
  token_type: 'bearer';
  expires_in: number;
  user: UserOut;
}
export interface UserOut {
  id: number;
  username: string;
  is_superuser: boolean;
  can_edit: boolean;
  can_upload: boolean;
  can_download: boolean;
  can_share: boolean;
  can_jukebox: boolean;
  can_podcast: boolean;
  max_bitrate_kbps: number | null;
  quota_bytes: number | null;
  hides_playing: boolean;
  created_at: string;
  last_seen_at: string | null;
}
export interface Registration {
  username: string;
  password: string;
}
export interface SetupBody {
  setup_token: string;
  username: string;
  password: string;
}
export interface DesktopBody {
  ticket: string;
}
export type UrlTokenIn = { scope: 'media' | 'events' } | { scope: 'download'; path: string };
export interface UrlTokenOut {
  token: string;
  scope: 'media' | 'events' | 'download';
  expires_in: number;
}
export interface PasswordChange {
  password: string;
  current_password: string;
  revoke_app_passwords?: boolean | undefined;
}
export interface Privacy {
  hides_playing: boolean;
}
export interface AppPasswordOut {
  username: string;
  password: string;
}
export interface AppPasswordInfo {
  id: number;
  name: string;
  created_at: string;
  address: string | null;
  client: string | null;
  last_used_at: string | null;
}
export interface AppPasswordCreate {
  name: string;
}
export interface NewAppPasswordOut {
  id: number;
  name: string;
  created_at: string;
  address: string | null;
  client: string | null;
  last_used_at: string | null;
  username: string;
  password: string;
}
export interface SessionOut {
  id: number;
  is_current: boolean;
  created_at: string;
  address: string | null;
  client: string | null;
  last_used_at: string;
  expires_at: string;
}
export interface PagedUsers {
  items: UserOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface UserCreate {
  username: string;
  password: string;
  is_superuser?: boolean | undefined;
  can_edit?: boolean | undefined;
  can_upload?: boolean | undefined;
  can_download?: boolean | undefined;
  can_share?: boolean | undefined;
  can_jukebox?: boolean | undefined;
  can_podcast?: boolean | undefined;
  max_bitrate_kbps?: (number | null) | undefined;
  quota_bytes?: (number | null) | undefined;
}
export interface UserUpdate {
  username?: string | undefined;
  password?: string | undefined;
  revoke_app_passwords?: boolean | undefined;
  is_superuser?: boolean | undefined;
  can_edit?: boolean | undefined;
  can_upload?: boolean | undefined;
  can_download?: boolean | undefined;
  can_share?: boolean | undefined;
  can_jukebox?: boolean | undefined;
  can_podcast?: boolean | undefined;
  max_bitrate_kbps?: (number | null) | undefined;
  quota_bytes?: (number | null) | undefined;
}
export interface NoticeOut {
  name: 'rights';
  created_at: string;
}
export type CreditRole =
  | 'composer'
  | 'conductor'
  | 'lyricist'
  | 'arranger'
  | 'producer'
  | 'director'
  | 'engineer'
  | 'mixer'
  | 'djmixer'
  | 'remixer'
  | 'performer';
export interface PagedTracks {
  items: TrackOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface TrackOut {
  id: number;
  title: string;
  artist_id: number | null;
  artist_name: string | null;
  artists: { id: number; name: string }[];
  album_id: number | null;
  album_title: string | null;
  album_artist_name: string | null;
  genre: string | null;
  genres: string[];
  tags: Record<string, string[]>;
  year: number | null;
  track_number: number | null;
  disc_number: number | null;
  original_year: number | null;
  composer: string | null;
  label: string | null;
  catalog_number: string | null;
  barcode: string | null;
  isrc: string | null;
  bpm: number | null;
  initial_key: string | null;
  energy: number | null;
  comment: string | null;
  duration_ms: number | null;
  size_bytes: number | null;
  format: string | null;
  bitrate_kbps: number | null;
  sample_rate_hz: number | null;
  bit_depth: number | null;
  channels: number | null;
  source: string;
  source_id: string;
  storage_uri: string | null;
  uploaded_by: number | null;
  availability: 'available' | 'remote' | 'fetching' | 'missing' | 'offline';
  metadata_status: 'pending' | 'enriched' | 'failed' | 'manual';
  metadata_error: string | null;
  enriched_at: string | null;
  fpid_score: number | null;
  recording_mbid: string | null;
  replay_gain: {
    track_gain_db: number | null;
    track_peak: number | null;
    album_gain_db: number | null;
    album_peak: number | null;
    is_measured: boolean;
  } | null;
  has_cover: boolean;
  has_lyrics: boolean;
  has_chapters: boolean;
  liked: boolean;
  rating: number;
  play_count: number;
  last_played_at: string | null;
  created_at: string;
  updated_at: string;
}
export interface TrackPatch {
  title?: string | undefined;
  artist?: (string | null) | undefined;
  artists?: string[] | undefined;
  album?: (string | null) | undefined;
  album_artist?: (string | null) | undefined;
  genre?: (string | null) | undefined;
  year?: (number | null) | undefined;
  track_number?: (number | null) | undefined;
  disc_number?: (number | null) | undefined;
  original_year?: (number | null) | undefined;
  composer?: (string | null) | undefined;
  label?: (string | null) | undefined;
  catalog_number?: (string | null) | undefined;
  barcode?: (string | null) | undefined;
  isrc?: (string | null) | undefined;
  bpm?: (number | null) | undefined;
  initial_key?: (string | null) | undefined;
  energy?: (number | null) | undefined;
  comment?: (string | null) | undefined;
}
export interface LyricsOut {
  synced: boolean;
  lines: {
    start_ms?: number | undefined;
    text: string;
    words?: { start_ms: number; text: string }[] | undefined;
    background?: boolean | undefined;
  }[];
  source: 'file' | 'lrclib' | 'manual';
  lrclib_id: number | null;
  is_instrumental: boolean;
}
export interface ChaptersOut {
  items: { start_ms: number; title: string }[];
  position_ms: number | null;
}
export interface TrackPut {
  title?: string | undefined;
  artist?: (string | null) | undefined;
  artists?: string[] | undefined;
  album?: (string | null) | undefined;
  album_artist?: (string | null) | undefined;
  genre?: (string | null) | undefined;
  year?: (number | null) | undefined;
  track_number?: (number | null) | undefined;
  disc_number?: (number | null) | undefined;
  original_year?: (number | null) | undefined;
  composer?: (string | null) | undefined;
  label?: (string | null) | undefined;
  catalog_number?: (string | null) | undefined;
  barcode?: (string | null) | undefined;
  isrc?: (string | null) | undefined;
  bpm?: (number | null) | undefined;
  initial_key?: (string | null) | undefined;
  energy?: (number | null) | undefined;
  comment?: (string | null) | undefined;
}
export interface PagedAlbums {
  items: AlbumOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface AlbumOut {
  id: number;
  title: string;
  artist_id: number | null;
  artist_name: string | null;
  artists: { id: number; name: string }[];
  year: number | null;
  genre: string | null;
  is_compilation: boolean;
  track_count: number;
  disc_count: number;
  duration_ms: number;
  size_bytes: number;
  has_cover: boolean;
  source: string | null;
  source_id: string | null;
  disc_titles: { disc: number; title: string }[];
  release_group_mbid: string | null;
  release_mbid: string | null;
  release_types: string[];
  edition: string | null;
  original_year: number | null;
  labels: string[];
  sort_title: string | null;
  uploaded_by: number | null;
  play_count: number;
  liked: boolean;
  rating: number;
  created_at: string;
  updated_at: string;
}
export interface AlbumPatch {
  title?: string | undefined;
  artists?: string[] | undefined;
  year?: (number | null) | undefined;
  original_year?: (number | null) | undefined;
  genres?: string[] | undefined;
  release_types?: string[] | undefined;
  edition?: (string | null) | undefined;
  label?: (string | null) | undefined;
  catalog_number?: (string | null) | undefined;
  barcode?: (string | null) | undefined;
  is_compilation?: boolean | undefined;
  sort_title?: (string | null) | undefined;
  tracks?:
    | {
        id: number;
        title?: string | undefined;
        artist?: (string | null) | undefined;
        artists?: string[] | undefined;
        track_number?: (number | null) | undefined;
        disc_number?: (number | null) | undefined;
      }[]
    | undefined;
}
export interface ContradictionOut {
  track_id: number;
  title: string;
  source_id: string;
  field: 'release_mbid' | 'edition' | 'year';
  value: string | number;
  usual: string | number;
}
export interface PagedArtists {
  items: ArtistOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface ArtistOut {
  id: number;
  name: string;
  sort_name: string;
  album_count: number;
  track_count: number;
  has_cover: boolean;
  source: string | null;
  source_id: string | null;
  artist_mbid: string | null;
  never_split: boolean;
  liked: boolean;
  rating: number;
  created_at: string;
}
export interface ArtistPatch {
  sort_name?: string | undefined;
  never_split?: boolean | undefined;
}
export interface GenreOut {
  name: string;
  track_count: number;
  album_count: number;
}
export interface PagedPeople {
  items: ListedPersonOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface ListedPersonOut {
  id: number;
  name: string;
  sort_key: string;
  artist_id: number | null;
  track_count: number;
}
export interface PersonOut {
  id: number;
  name: string;
  artist_id: number | null;
  roles: { role: CreditRole; track_count: number; album_count: number }[];
}
export interface TrackCreditOut {
  role: CreditRole;
  person_id: number;
  name: string;
  artist_id: number | null;
  instrument: string | null;
}
export interface AlbumCreditOut {
  role: CreditRole;
  person_id: number;
  name: string;
  artist_id: number | null;
  instrument: string | null;
  track_ids: number[];
}
export interface WorkOut {
  name: string;
  mbid: string | null;
  composer: string | null;
  movements: { track_id: number; name: string | null; number: number | null }[];
}
export interface TagOut {
  name: string;
  is_custom: boolean;
  value_count: number;
  track_count: number;
}
export interface PagedTagValues {
  items: TagValueOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface TagValueOut {
  value: string;
  track_count: number;
}
export interface TrackEditOut {
  id: number;
  kind: 'edit' | 'match' | 'merge';
  created_at: string;
  user_id: number | null;
  user_name: string | null;
  batch: string | null;
  batch_tracks: number;
  changes: { field: string; before: string | null; after: string | null }[];
  merged: {
    title: string;
    artist_name: string | null;
    album_title: string | null;
    source: string;
    source_id: string;
    reason: 'duplicate' | 'chosen' | 'same_audio' | 'same_music' | 'replaced';
  } | null;
}
export interface UndoneEditOut {
  id: number;
  title: string;
  artist_id: number | null;
  artist_name: string | null;
  artists: { id: number; name: string }[];
  album_id: number | null;
  album_title: string | null;
  album_artist_name: string | null;
  genre: string | null;
  genres: string[];
  tags: Record<string, string[]>;
  year: number | null;
  track_number: number | null;
  disc_number: number | null;
  original_year: number | null;
  composer: string | null;
  label: string | null;
  catalog_number: string | null;
  barcode: string | null;
  isrc: string | null;
  bpm: number | null;
  initial_key: string | null;
  energy: number | null;
  comment: string | null;
  duration_ms: number | null;
  size_bytes: number | null;
  format: string | null;
  bitrate_kbps: number | null;
  sample_rate_hz: number | null;
  bit_depth: number | null;
  channels: number | null;
  source: string;
  source_id: string;
  storage_uri: string | null;
  uploaded_by: number | null;
  availability: 'available' | 'remote' | 'fetching' | 'missing' | 'offline';
  metadata_status: 'pending' | 'enriched' | 'failed' | 'manual';
  metadata_error: string | null;
  enriched_at: string | null;
  fpid_score: number | null;
  recording_mbid: string | null;
  replay_gain: {
    track_gain_db: number | null;
    track_peak: number | null;
    album_gain_db: number | null;
    album_peak: number | null;
    is_measured: boolean;
  } | null;
  has_cover: boolean;
  has_lyrics: boolean;
  has_chapters: boolean;
  liked: boolean;
  rating: number;
  play_count: number;
  last_played_at: string | null;
  created_at: string;
  updated_at: string;
  not_undone: { field: string; value: string | null }[];
}
export interface UndoneEdits {
  batch: string;
  undone: number;
  failed: { id: number; detail: string }[];
}
export interface PagedFolders {
  items: FolderOut[];
  total: number;
  limit: number;
  offset: number;
  parents: FolderOut[];
  is_offline: boolean;
  is_copied: boolean;
  track_count: number;
}
export interface FolderOut {
  path: string;
  name: string;
  is_offline?: boolean | undefined;
}
export interface PagedTrashedTracks {
  items: TrashedTrackOut[];
  total: number;
  limit: number;
  offset: number;
  size_bytes: number;
}
export interface TrashedTrackOut {
  id: number;
  title: string;
  artist_name: string | null;
  album_title: string | null;
  source: string;
  size_bytes: number | null;
  deleted_at: string;
  deleted_by_id: number | null;
  deleted_by_name: string | null;
  expires_at: string;
  may_delete: boolean;
}
export interface TrashedIds {
  track_ids: number[];
}
export interface RestoredTracks {
  restored: number;
  failed: { id: number; detail: string }[];
}
export interface TrashedIdsOrAll {
  track_ids?: number[] | undefined;
}
export interface DeletedTracks {
  deleted: number;
}
export interface PagedMerges {
  items: MergeOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface MergeOut {
  id: number;
  title: string;
  artist_name: string | null;
  album_title: string | null;
  source: string;
  source_id: string;
  into: TrackOut | null;
  reason: 'duplicate' | 'chosen' | 'same_audio' | 'same_music' | 'replaced';
  merged_at: string;
  merged_by_name: string | null;
  expires_at: string;
}
export interface PagedAlbumChanges {
  items: AlbumChangeOut[];
  total: number;
  limit: number;
  offset: number;
  due_at: string | null;
}
export interface AlbumChangeOut {
  title: string;
  artist_name: string | null;
  albums: AlbumOut[];
  becomes: {
    track_count: number;
    year: number | null;
    edition: string | null;
    release_mbid: string | null;
    folders: string[];
  }[];
}
export interface PagedRegroupings {
  items: RegroupingOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface RegroupingOut {
  id: number;
  title: string;
  artist_name: string | null;
  albums_before: number;
  made_at: string;
  expires_at: string;
}
export interface LikeEvent {
  item_type: 'track' | 'album' | 'artist';
  item_id: number;
  liked: boolean;
  rating?: number | undefined;
}
export interface LikeState {
  item_type: 'track' | 'album' | 'artist';
  item_id: number;
  liked: boolean;
  rating: number;
  rating_origin: 'person' | 'tag' | null;
  since: string | null;
}
export interface PagedLikeEvents {
  items: LikeEventOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface LikeEventOut {
  id: number;
  item_type: 'track' | 'album' | 'artist';
  item_id: number;
  liked: boolean;
  rating: number | null;
  created_at: string;
}
export interface HistoryIn {
  track_id: number;
  played_at?: string | undefined;
  played_ms?: number | undefined;
  client?: string | undefined;
  play_id?: string | undefined;
}
export interface HistoryBatchIn {
  items: HistoryIn[];
}
export interface HistoryOut {
  id: number;
  track_id: number | null;
  track: TrackOut | null;
  title: string;
  artist_name: string | null;
  album_title: string | null;
  played_at: string;
  played_ms: number | null;
  client: string | null;
}
export interface HistoryBatchOut {
  recorded: number;
  items: { status: 'recorded' | 'known' | 'withdrawn' | 'unknown_track'; id: number | null }[];
}
export interface PagedHistory {
  items: HistoryOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface NowPlayingOut {
  playing: { track: TrackOut; position_ms: number; since: string; client: string | null } | null;
}
export interface NowPlayingIn {
  track_id: number | null;
  position_ms?: number | undefined;
  client?: string | undefined;
}
export interface HistoryImportOut {
  id: number;
  filename: string;
  status: 'queued' | 'running' | 'done' | 'failed';
  bytes_done: number;
  bytes_total: number;
  added: number;
  known: number;
  unmatched: number;
  unreadable: number;
  unmatched_songs: { title: string; artist_name: string; plays: number }[];
  error: string | null;
  created_at: string;
  finished_at: string | null;
}
export interface PagedHistoryImports {
  items: HistoryImportOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface ScrobblingOut {
  service: 'lastfm' | 'librefm' | 'listenbrainz' | 'maloja';
  title: string;
  sign_in: 'token' | 'page' | 'own_server';
  connected: boolean;
  enabled: boolean;
  username: string | null;
  can_sync_loves: boolean;
  sync_loves: boolean;
  loves_synced_at: string | null;
  queued: number;
  refused: number;
  refusals: { title: string; artist_name: string | null; played_at: string; reason: string }[];
  submitted: number;
  last_submitted_at: string | null;
  problem: string | null;
  stopped: boolean;
}
export interface ScrobblingSignIn {
  token: string;
  url: string;
}
export interface ScrobblingIn {
  token: string;
  url?: string | undefined;
  sync_loves?: boolean | undefined;
}
export interface QueueOut {
  track_ids: number[];
  current_index: number;
  position_ms: number;
  listening: { play_id: string; started_at: string; heard_ms: number } | null;
  changed_by: string | null;
  updated_at: string | null;
}
export interface QueueIn {
  track_ids: number[];
  current_index?: number | undefined;
  position_ms?: number | undefined;
  listening?: ({ play_id: string; started_at: string; heard_ms: number } | null) | undefined;
  client?: string | undefined;
}
export interface PagedQueueTracks {
  items: TrackOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface PagedBookmarks {
  items: BookmarkOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface BookmarkOut {
  track: TrackOut;
  position_ms: number;
  comment: string | null;
  created_at: string;
  updated_at: string;
}
export interface BookmarkIn {
  position_ms: number;
  comment?: (string | null) | undefined;
}
export interface PagedLyricsHits {
  items: LyricsHit[];
  total: number;
  limit: number;
  offset: number;
}
export interface LyricsHit {
  track: TrackOut;
  text: string;
  start_ms: number | null;
}
export interface LyricsLookup {
  outcome: 'found' | 'none' | 'off' | 'unavailable';
  lyrics: LyricsOut | null;
}
export interface LyricsCandidate {
  id: number;
  title: string;
  artist_name: string;
  album_title: string | null;
  duration_ms: number | null;
  is_instrumental: boolean;
  synced: boolean;
  excerpt: string;
  fits: boolean;
}
export type LyricsIn = { text: string } | { lrclib_id: number };
export interface PagedPlaylists {
  items: PlaylistOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface PlaylistOut {
  id: number;
  name: string;
  description: string | null;
  owner_id: number;
  owner_name: string;
  is_public: boolean;
  is_smart: boolean;
  rules: SmartRulesOut | null;
  version: number;
  track_count: number;
  duration_ms: number;
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
  file: {
    path: string;
    state: 'follows' | 'edited' | 'stopped';
    is_gone: boolean;
    fault: string | null;
    unmatched_count: number;
  } | null;
  unmatched?: UnmatchedLineOut[] | undefined;
  entries?: PlaylistEntryOut[] | undefined;
}
export interface SmartRulesOut {
  all?: Record<string, unknown>[] | undefined;
  any?: Record<string, unknown>[] | undefined;
  sort?: { field: SmartSort; order: 'asc' | 'desc' }[] | undefined;
  limit?: number | undefined;
  limit_by?: 'tracks' | 'minutes' | 'megabytes' | undefined;
  seed?: number | undefined;
}
export type SmartSort =
  | 'title'
  | 'artist'
  | 'album'
  | 'year'
  | 'track_number'
  | 'disc_number'
  | 'original_year'
  | 'composer'
  | 'label'
  | 'catalog_number'
  | 'barcode'
  | 'isrc'
  | 'bpm'
  | 'initial_key'
  | 'energy'
  | 'comment'
  | 'duration_ms'
  | 'size_bytes'
  | 'bitrate_kbps'
  | 'created_at'
  | 'play_count'
  | 'last_played_at'
  | 'rating'
  | 'random';
export interface UnmatchedLineOut {
  line: number;
  text: string;
  reason: string;
}
export interface PlaylistEntryOut {
  entry_id: number;
  position: number;
  added_at: string;
  track: TrackOut;
}
export interface PlaylistCreate {
  name: string;
  description?: (string | null) | undefined;
  is_public?: boolean | undefined;
  track_ids?: number[] | undefined;
  rules?: SmartRules | undefined;
}
export interface SmartRules {
  all?: SmartRule1[] | undefined;
  any?: SmartRule1[] | undefined;
  sort?: { field: SmartSort; order?: 'asc' | 'desc' | undefined }[] | undefined;
  limit?: number | undefined;
  limit_by?: 'tracks' | 'minutes' | 'megabytes' | undefined;
  seed?: number | undefined;
}
export interface SmartRule1 {
  field?: SmartField | undefined;
  tag?: string | undefined;
  op?: SmartOperator | undefined;
  value?: (string | number | boolean | string[] | number[]) | undefined;
  all?: SmartRule2[] | undefined;
  any?: SmartRule2[] | undefined;
}
export type SmartField =
  | 'title'
  | 'artist'
  | 'album'
  | 'album_artist'
  | 'genre'
  | 'year'
  | 'track_number'
  | 'disc_number'
  | 'original_year'
  | 'composer'
  | 'label'
  | 'catalog_number'
  | 'barcode'
  | 'isrc'
  | 'bpm'
  | 'initial_key'
  | 'energy'
  | 'comment'
  | 'conductor'
  | 'lyricist'
  | 'arranger'
  | 'producer'
  | 'director'
  | 'engineer'
  | 'mixer'
  | 'djmixer'
  | 'remixer'
  | 'performer'
  | 'duration_ms'
  | 'size_bytes'
  | 'bitrate_kbps'
  | 'sample_rate_hz'
  | 'bit_depth'
  | 'channels'
  | 'play_count'
  | 'rating'
  | 'format'
  | 'source'
  | 'availability'
  | 'metadata_status'
  | 'created_at'
  | 'last_played_at'
  | 'liked_at'
  | 'liked'
  | 'has_lyrics'
  | 'has_cover'
  | 'playlist'
  | 'mood'
  | 'tag';
export type SmartOperator =
  | 'is'
  | 'is_not'
  | 'contains'
  | 'does_not_contain'
  | 'starts_with'
  | 'ends_with'
  | 'is_set'
  | 'is_not_set'
  | 'greater_than'
  | 'less_than'
  | 'between'
  | 'before'
  | 'after'
  | 'in_the_last'
  | 'not_in_the_last';
export interface SmartRule2 {
  field?: SmartField | undefined;
  tag?: string | undefined;
  op?: SmartOperator | undefined;
  value?: (string | number | boolean | string[] | number[]) | undefined;
  all?: SmartRule3[] | undefined;
  any?: SmartRule3[] | undefined;
}
export interface SmartRule3 {
  field?: SmartField | undefined;
  tag?: string | undefined;
  op?: SmartOperator | undefined;
  value?: (string | number | boolean | string[] | number[]) | undefined;
  all?: SmartRule4[] | undefined;
  any?: SmartRule4[] | undefined;
}
export interface SmartRule4 {
  field?: SmartField | undefined;
  tag?: string | undefined;
  op?: SmartOperator | undefined;
  value?: (string | number | boolean | string[] | number[]) | undefined;
  all?: SmartRule5[] | undefined;
  any?: SmartRule5[] | undefined;
}
export interface SmartRule5 {
  field?: SmartField | undefined;
  tag?: string | undefined;
  op?: SmartOperator | undefined;
  value?: (string | number | boolean | string[] | number[]) | undefined;
}
export interface SmartFieldsOut {
  fields: { field: string; kind: string; operators: string[] }[];
  sorts: string[];
}
export interface PlaylistPreview {
  rules: SmartRules;
  limit?: number | undefined;
}
export interface PlaylistPreviewOut {
  track_count: number;
  duration_ms: number;
  tracks: TrackOut[];
}
export interface PlaylistImportOut {
  playlist: PlaylistOut;
  matched: number;
  unmatched: UnmatchedLineOut[];
}
export interface PagedUnmatchedLines {
  items: UnmatchedLineOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface PlaylistUpdate {
  name?: string | undefined;
  description?: (string | null) | undefined;
  is_public?: boolean | undefined;
  rules?: SmartRules | undefined;
  expected_version?: number | undefined;
}
export interface PagedPlaylistEntries {
  items: PlaylistEntryOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface PlaylistAddTracks {
  track_ids: number[];
  position?: number | undefined;
  skip_duplicates?: boolean | undefined;
  expected_version?: number | undefined;
}
export interface PlaylistReorder {
  entry_ids: number[];
  expected_version?: number | undefined;
}
export interface PlaylistRemoveTracks {
  track_ids?: number[] | undefined;
}
export interface PlaylistRemove {
  entry_ids?: number[] | undefined;
  all_but?: number[] | undefined;
  expected_version?: number | undefined;
}
export interface PlaylistMove {
  entry_ids?: number[] | undefined;
  all_but?: number[] | undefined;
  in_list_order?: boolean | undefined;
  before_entry_id: number | null;
  expected_version?: number | undefined;
}
export interface PagedPlaylistVersions {
  items: PlaylistVersionOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface PlaylistVersionOut {
  version: number;
  change:
    | 'create'
    | 'add'
    | 'remove'
    | 'reorder'
    | 'replace'
    | 'restore'
    | 'import'
    | 'rules'
    | 'file'
    | 'track_deleted'
    | 'track_restored';
  added: number;
  removed: number;
  moved: number;
  track_count: number;
  user_name: string | null;
  created_at: string;
}
export interface PagedPlaylistVersionEntries {
  items: PlaylistVersionEntryOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface PlaylistVersionEntryOut {
  entry_id: number;
  position: number;
  track_id: number | null;
  title: string;
  artist_name: string | null;
}
export interface PlaylistRestore {
  version: number;
  expected_version?: number | undefined;
}
export interface PlaylistRestoreOut {
  playlist: PlaylistOut;
  missing: { title: string; artist_name: string | null }[];
}
export interface JukeboxOut {
  version: number;
  speaker: { id: string; name: string } | null;
  track_ids: number[];
  current_index: number;
  position_ms: number;
  playing: boolean;
  gain: number;
}
export interface SpeakerIn {
  speaker_id: string;
  name: string;
  report?: { version: number; current_index: number; position_ms: number; playing: boolean; gain: number } | undefined;
}
export interface DeviceList {
  items: DeviceOut[];
}
export interface DeviceOut {
  id: string;
  name: string;
  track: TrackOut | null;
  position_ms: number;
  playing: boolean;
  volume: number;
  muted: boolean;
}
export interface DeviceIn {
  name: string;
  track_id: number | null;
  position_ms: number;
  playing: boolean;
  volume: number;
  muted: boolean;
}
export type DeviceCommandIn =
  | { kind: 'play'; from: string }
  | { kind: 'pause'; from: string }
  | { kind: 'volume'; from: string; volume: number }
  | { kind: 'rename'; from: string; name: string }
  | { kind: 'give'; from: string }
  | { kind: 'taken'; from: string; hand_over: string }
  | { kind: 'not_taken'; from: string; hand_over: string; reason: 'gesture' | 'failed' };
export interface HandOverIn {
  id: string;
  from: string;
  track_ids: number[];
  current_index: number;
  position_ms: number;
  playing: boolean;
  speed?: number | undefined;
  shuffle: boolean;
  repeat: 'off' | 'all' | 'one';
  listening: { play_id: string; started_at: string; heard_ms: number; reported_ms: number | null } | null;
  context: string;
}
export interface HandOverOut {
  id: string;
  from: string;
  tracks: TrackOut[];
  current_index: number;
  position_ms: number;
  shuffle: boolean;
  repeat: 'off' | 'all' | 'one';
  listening: { play_id: string; started_at: string; heard_ms: number; reported_ms: number | null } | null;
  context: string;
}
export interface StationOut {
  id: number;
  name: string;
  stream_url: string;
  home_page_url: string | null;
  title: string | null;
  created_at: string;
}
export interface StationIn {
  name: string;
  stream_url: string;
  home_page_url?: (string | null) | undefined;
}
export interface SourceOut {
  name: string;
  kind: string;
  enabled: boolean;
  reason?: string | undefined;
  detail?: string | undefined;
  capabilities: ('scan' | 'search' | 'download')[];
  last_scan?: (LastScanOut | null) | undefined;
}
export interface LastScanOut {
  job_id: number;
  status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
  finished_at: string;
  folders: string[];
  counts: {
    files: number;
    added: number;
    extra_tracks: number;
    updated: number;
    moved: number;
    unchanged: number;
    missing: number;
    restored: number;
    failed_count: number;
    failed_folders: number;
    changing_count: number;
    duration_ms: number;
  } | null;
}
export interface CoverCandidates {
  items: {
    id: string;
    origin: 'embedded' | 'folder' | 'archive';
    name: string;
    width: number | null;
    height: number | null;
    is_current: boolean;
  }[];
  reason: string | null;
}
export interface CoverChoice {
  candidate: string;
}
export interface ShareOut {
  id: number;
  path: string;
  kind: 'track' | 'album' | 'artist' | 'genre' | 'playlist' | 'folder' | null;
  name: string | null;
  description: string | null;
  state: 'open' | 'expired' | 'ended';
  track_count: number;
  duration_ms: number;
  cover_track_id: number | null;
  allows_saving: boolean;
  has_password: boolean;
  expires_at: string | null;
  ended_at: string | null;
  created_at: string;
  last_visited_at: string | null;
  visit_count: number;
  play_count: number;
}
export interface ShareIn {
  track_ids: number[];
  kind?: ('track' | 'album' | 'artist' | 'genre' | 'playlist' | 'folder' | null) | undefined;
  description?: (string | null) | undefined;
  expires_at?: (string | null) | undefined;
  allows_saving?: boolean | undefined;
  password?: (string | null) | undefined;
}
export interface ShareUpdate {
  description?: (string | null) | undefined;
  expires_at?: (string | null) | undefined;
  allows_saving?: boolean | undefined;
  password?: (string | null) | undefined;
  is_ended?: boolean | undefined;
}
export interface LibrarySearchResponse {
  query: string;
  tracks: PagedTracks;
  albums: PagedAlbums;
  artists: PagedArtists;
}
export interface PagedFolderHits {
  items: FolderOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface SearchResponse {
  query: string;
  items: SearchHit[];
  errors: { source: string; detail: string }[];
}
export interface SearchHit {
  source: string;
  source_id: string;
  kind: 'track' | 'album' | 'artist';
  title: string;
  artist_name: string | null;
  album_title: string | null;
  duration_ms: number | null;
  year: number | null;
  cover_url: string | null;
  in_library: boolean;
  track_id: number | null;
  availability: 'available' | 'remote' | 'fetching' | 'missing' | 'offline' | null;
}
export interface AlbumCharsetOut {
  charset:
    | 'windows-1252'
    | 'utf-8'
    | 'windows-1251'
    | 'shift_jis'
    | 'euc-kr'
    | 'gbk'
    | 'big5'
    | 'windows-1250'
    | 'windows-1253'
    | 'windows-1254'
    | 'windows-1255'
    | 'windows-1256'
    | 'windows-1257'
    | 'windows-1258'
    | 'windows-874'
    | 'koi8-r'
    | 'euc-jp'
    | null;
  is_chosen: boolean;
  track_count: number;
  charsets: (
    | 'windows-1252'
    | 'utf-8'
    | 'windows-1251'
    | 'shift_jis'
    | 'euc-kr'
    | 'gbk'
    | 'big5'
    | 'windows-1250'
    | 'windows-1253'
    | 'windows-1254'
    | 'windows-1255'
    | 'windows-1256'
    | 'windows-1257'
    | 'windows-1258'
    | 'windows-874'
    | 'koi8-r'
    | 'euc-jp'
  )[];
}
export interface ChooseCharsetIn {
  charset:
    | 'windows-1252'
    | 'utf-8'
    | 'windows-1251'
    | 'shift_jis'
    | 'euc-kr'
    | 'gbk'
    | 'big5'
    | 'windows-1250'
    | 'windows-1253'
    | 'windows-1254'
    | 'windows-1255'
    | 'windows-1256'
    | 'windows-1257'
    | 'windows-1258'
    | 'windows-874'
    | 'koi8-r'
    | 'euc-jp';
}
export interface ChosenCharsetOut {
  album_id: number | null;
  changed: number;
  failed: number;
}
export interface AlbumMatchOut {
  mbid: string;
  title: string;
  artists: string[];
  year: number | null;
  original_year: number | null;
  country: string | null;
  label: string | null;
  catalog_number: string | null;
  barcode: string | null;
  edition: string | null;
  release_types: string[];
  genres: string[];
  formats: string[];
  track_count: number;
}
export interface AlbumMatchDetails {
  mbid: string;
  title: string;
  artists: string[];
  year: number | null;
  original_year: number | null;
  country: string | null;
  label: string | null;
  catalog_number: string | null;
  barcode: string | null;
  edition: string | null;
  release_types: string[];
  genres: string[];
  formats: string[];
  track_count: number;
  tracks: {
    disc_number: number;
    track_number: number;
    title: string;
    artist_name: string;
    artists: string[];
    length_ms: number | null;
    track_id: number | null;
  }[];
}
export interface PagedDuplicates {
  items: DuplicateGroupOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface DuplicateGroupOut {
  id: number;
  tracks: TrackOut[];
  similarity: number;
  keep_id: number;
  keep_reason: 'available' | 'lossless' | 'resolution' | 'bitrate' | 'plays' | 'name' | 'first';
  spare_bytes: number;
}
export interface DuplicateMergeIn {
  keep: number;
  merge: number[];
}
export interface DuplicateDismissIn {
  track_id: number;
  other_ids: number[];
}
export type AskedEnrichment =
  | {
      id: number;
      task: string;
      status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
      attempts: number;
      max_attempts: number;
      progress: { done: number; total: number | null; message: string | null } | null;
      result: unknown;
      error: string | null;
      is_put_aside: boolean;
      next_attempt_at: string | null;
      created_at: string;
      started_at: string | null;
      finished_at: string | null;
      queued: true;
    }
  | { queued: false; detail: string };
export interface EnrichIn {
  scope?: 'pending' | 'failed' | 'all' | undefined;
}
export interface MatchesOut {
  items: MatchOut[];
  trust_score: number;
  origins: Record<string, 'tag' | 'charset' | 'fpid' | 'manual' | 'path' | 'measured'>;
  can_undo: boolean;
}
export interface MatchOut {
  n: number;
  score: number | null;
  title: string | null;
  artist_name: string | null;
  album_title: string | null;
  album_artist_name: string | null;
  year: number | null;
  track_number: number | null;
  disc_number: number | null;
  genres: string[];
  recording_mbid: string | null;
  release_group_mbid: string | null;
  acoustid_id: string | null;
}
export interface PagedReviews {
  items: ReviewOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface ReviewOut {
  track: TrackOut;
  reason: 'low_score' | 'tags_disagree';
  match: MatchOut;
  differences: { field: string; tag: string | null; match: string }[];
  created_at: string;
}
export interface ArtistAbout {
  state: 'off' | 'due' | 'known' | 'unknown' | 'failed';
  artist_mbid: string | null;
  identified_by: 'tags' | 'albums' | 'person' | null;
  about: About | null;
  people: {
    name: string;
    relation: 'member' | 'group';
    begin: string | null;
    end: string | null;
    ended: boolean;
    artist_id: number | null;
  }[];
  picture: PictureFrom | null;
}
export interface About {
  name: string;
  type: string | null;
  country: string | null;
  area: string | null;
  begin: string | null;
  end: string | null;
  ended: boolean;
  links: { kind: string; url: string }[];
  text: { text: string; language: string; title: string; url: string } | null;
}
export interface PictureFrom {
  origin: 'folder' | 'commons' | 'manual';
  is_none: boolean;
  author: string | null;
  licence: string | null;
  licence_url: string | null;
  page_url: string | null;
}
export interface ArtistCandidate {
  artist_mbid: string;
  name: string;
  type: string | null;
  country: string | null;
  begin: string | null;
  end: string | null;
  disambiguation: string | null;
}
export interface ArtistIdentityIn {
  artist_mbid: string | null;
}
export interface PictureCandidate {
  file: string;
  width: number | null;
  height: number | null;
  author: string | null;
  licence: string;
  is_current: boolean;
}
export interface PictureChoice {
  file: string | null;
}
export interface AlbumAbout {
  state: 'off' | 'due' | 'known' | 'unknown' | 'failed';
  about: About | null;
  labels: About[];
}
export interface AnalysisOut {
  state: 'off' | 'working' | 'done' | 'busy' | 'battery';
  total: number;
  tracks_per_second: number | null;
  seconds_left: number | null;
  failed: number;
  sure_tempo: number;
  sure_key: number;
  steps: { name: string; version: number; done: number; total: number }[];
}
export interface TrackAnalysisOut {
  failure: string | null;
  loudness: {
    integrated_lufs: number | null;
    range_lu: number;
    true_peak_dbtp: number | null;
    album_integrated_lufs: number | null;
    album_range_lu: number | null;
    leading_silence_ms: number;
    trailing_silence_ms: number;
  } | null;
  rhythm: {
    bpm: number | null;
    bpm_confidence: number | null;
    beats_ms: number[];
    bar_beats: number | null;
    first_downbeat: number | null;
    key: string | null;
    camelot: string | null;
    key_confidence: number | null;
    energy: number | null;
  } | null;
  energy_rank: number | null;
  moods: ('calm' | 'gentle' | 'bright' | 'dark' | 'driving' | 'intense')[];
  is_comparable: boolean;
}
export interface WaveformOut {
  version: number;
  points: string | null;
}
export interface LikenessOut {
  by: 'sound' | 'tags';
  analyzed: number;
  total: number;
  indexed: number;
  built_at: string | null;
  is_building: boolean;
}
export interface SimilarTracksOut {
  by: 'sound' | 'tags';
  items: ChosenTrackOut[];
  versions: {
    track: TrackOut;
    kind: 'same_recording' | 'live' | 'remaster' | 'remix' | 'acoustic' | 'version' | 'cover';
    likeness: number | null;
    likeness_rank: number | null;
  }[];
}
export interface ChosenTrackOut {
  track: TrackOut;
  likeness: number | null;
  likeness_rank: number | null;
  reasons: ReasonOut[];
}
export type ReasonOut =
  | { kind: 'sounds_like'; track_id: number; title: string; likeness: number; rank: number }
  | { kind: 'more_like'; track_id: number; title: string }
  | { kind: 'less_like'; track_id: number; title: string }
  | { kind: 'same_tempo'; bpm: number; track_id: number; title: string }
  | { kind: 'matching_key'; key: string; track_id: number; title: string }
  | { kind: 'same_artist'; artist_id: number; name: string }
  | { kind: 'same_genre'; genre: string }
  | { kind: 'same_years'; year: number }
  | { kind: 'mood'; mood: 'calm' | 'gentle' | 'bright' | 'dark' | 'driving' | 'intense' }
  | { kind: 'played_at_this_hour'; plays: number }
  | { kind: 'played_lately'; title: string; track_id: number; plays: number }
  | { kind: 'loved' }
  | { kind: 'forgotten'; plays: number; last_played_at: string }
  | { kind: 'never_played' }
  | { kind: 'on_the_way'; step: number; steps: number }
  | { kind: 'any' };
export interface RadioIn {
  seed: RadioSeed;
  count?: number | undefined;
  played?: number[] | undefined;
  more?: number[] | undefined;
  less?: number[] | undefined;
}
export type RadioSeed =
  | { kind: 'track'; id: number }
  | { kind: 'album'; id: number }
  | { kind: 'artist'; id: number }
  | { kind: 'genre'; name: string }
  | { kind: 'playlist'; id: number }
  | { kind: 'mood'; mood: 'calm' | 'gentle' | 'bright' | 'dark' | 'driving' | 'intense' }
  | { kind: 'moment'; hour: number; utc_offset_minutes?: number | undefined };
export interface RadioOut {
  by: 'sound' | 'tags';
  title: string | null;
  items: ChosenTrackOut[];
}
export interface RadioNeverOut {
  tracks: { id: number; title: string }[];
  artists: { id: number; name: string }[];
}
export interface PathOut {
  by: 'sound' | 'tags';
  items: ChosenTrackOut[];
}
export interface MapOut {
  version: string | null;
  total: number;
  cells: number[];
  genres: string[];
  points: { id: number[]; x: number[]; y: number[]; genre: number[] };
  labels: { x: number; y: number; genre: string; tracks: number }[];
}
export interface MapTracksOut {
  items: { track: TrackOut; x: number; y: number }[];
  total: number;
  limit: number;
  offset: number;
}
export interface MapLineIn {
  points: { x: number; y: number }[];
  count?: number | undefined;
}
export interface MapLineOut {
  items: TrackOut[];
}
export interface MixesOut {
  items: MixOut[];
}
export interface MixOut {
  id: string;
  kind: 'like_artist' | 'loved' | 'forgotten' | 'mood' | 'hour' | 'unplayed';
  subject: string | null;
  why: ReasonOut[];
  track_count: number;
  duration_ms: number;
  cover_track_ids: number[];
  artist_names: string[];
}
export interface MixTracksOut {
  mix: MixOut;
  items: ChosenTrackOut[];
}
export interface ReplacementOut {
  track: TrackOut;
  why: 'same_audio' | 'same_sound' | 'same_recording' | 'same_place' | 'same_name';
  is_certain: boolean;
}
export interface CertainOut {
  total: number;
}
export interface RelocateIn {
  track_id: number;
}
export interface UploadOut {
  items: TrackOut[];
  errors: { filename: string; detail: string }[];
}
export interface UploadLimitsOut {
  max_file_bytes: number;
  quota: { bytes: number; remaining_bytes: number } | null;
}
export interface PodcastOut {
  id: number;
  url: string;
  title: string;
  description: string | null;
  status: 'new' | 'completed' | 'error';
  error: string | null;
  checked_at: string | null;
  created_at: string;
}
export interface PodcastIn {
  url: string;
}
export interface PagedEpisodes {
  items: EpisodeOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface EpisodeOut {
  id: number;
  podcast_id: number;
  podcast_title: string;
  title: string;
  description: string | null;
  published_at: string;
  duration_ms: number | null;
  size_bytes: number | null;
  status: 'new' | 'downloading' | 'completed' | 'error' | 'deleted';
  error: string | null;
  position_ms: number | null;
}
export interface EpisodePositionIn {
  position_ms: number;
}
export interface RemoteTrackIn {
  source?: string | undefined;
  source_id: string;
  title?: string | undefined;
  artist_name?: (string | null) | undefined;
  album_title?: (string | null) | undefined;
  duration_ms?: (number | null) | undefined;
  year?: (number | null) | undefined;
  cover_url?: (string | null) | undefined;
}
export interface FetchOut {
  id: number | null;
  source: string;
  source_id: string;
  track_id: number | null;
  status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
  attempts: number;
  max_attempts: number;
  progress: number | null;
  bytes_done: number;
  bytes_total: number | null;
  error: string | null;
  next_attempt_at: string | null;
  created_at: string;
  updated_at: string;
}
export interface PagedDownloads {
  items: DownloadJobOut[];
  total: number;
  limit: number;
  offset: number;
}
export interface DownloadJobOut {
  id: number;
  source: string;
  source_id: string;
  track_id: number | null;
  status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
  attempts: number;
  max_attempts: number;
  progress: number | null;
  bytes_done: number;
  bytes_total: number | null;
  error: string | null;
  next_attempt_at: string | null;
  created_at: string;
  updated_at: string;
}
export interface DownloadIn {
  source?: string | undefined;
  source_id?: string | undefined;
  track_id?: number | undefined;
}
export interface MusicFoldersOut {
  items: MusicFolderOut[];
}
export interface MusicFolderOut {
  id: number;
  name: string;
  source_id_prefix: string;
  path: string | null;
  mode: 'copy' | 'reference';
  follow_links: boolean;
  is_fixed: boolean;
  state: 'ready' | 'offline' | 'removed';
  reason: string | null;
  watching: 'off' | 'starting' | 'watching' | 'polling';
  tracks: number;
  indexed_tracks: number;
  size_bytes: number;
  duration_ms: number;
  removed_at: string | null;
}
export interface ServerFolderOut {
  path: string;
  parent: string | null;
  folders: { name: string; path: string }[];
  is_complete: boolean;
  fault: string | null;
  places: { name: string; path: string }[];
  free_bytes: number;
  total_bytes: number;
}
export interface FolderContentsOut {
  path: string;
  audio_files: number;
  audio_bytes: number;
  folders: number;
  other_files: number;
  protected_files: number;
  other_kinds: { extension: string; files: number }[];
  ignored: number;
  unreadable_folders: number;
  is_complete: boolean;
  library_free_bytes: number;
}
export interface MusicFolderIn {
  name: string;
  path: string;
  mode?: 'copy' | 'reference' | undefined;
  follow_links?: boolean | undefined;
}
export interface MusicFolderPatch {
  name?: string | undefined;
  path?: string | undefined;
  mode?: 'copy' | 'reference' | undefined;
  follow_links?: boolean | undefined;
}
export interface MusicFolderRemovalOut {
  to_trash: number;
  kept: number;
  detail: string;
}
export interface BackupsOut {
  target: string | null;
  is_encrypted: boolean | null;
  next_at: string | null;
  problem: string | null;
  restore: {
    snapshot: string;
    is_ready: boolean;
    is_import: boolean;
    is_accepted: boolean;
    arrival: Arrival | null;
  } | null;
  check: { at: string; bytes_read: number; bytes: number; share: number; faults: number; lost: number } | null;
  check_percent: number | null;
  is_reading_free: boolean | null;
  items: SnapshotOut[];
}
export interface Arrival {
  people: {
    username: string;
    change: 'new' | 'same' | 'other' | 'gone';
    is_superuser: boolean;
    differences: {
      what:
        | 'id'
        | 'username'
        | 'password_hash'
        | 'is_superuser'
        | 'max_bitrate_kbps'
        | 'quota_bytes'
        | 'hides_playing'
        | 'email'
        | 'has_weak_password'
        | 'can_edit'
        | 'can_upload'
        | 'can_download'
        | 'can_share'
        | 'can_jukebox'
        | 'can_podcast'
        | 'app_passwords'
        | 'scrobble_accounts'
        | 'shares'
        | 'radio_stations';
      name: string | null;
      value: string | null;
      here: string | null;
    }[];
  }[];
  settings: {
    name: string;
    kind: 'plain' | 'program' | 'folder' | 'address' | 'account' | 'guard' | 'secret' | 'place';
    value: string | null;
    here: string | null;
  }[];
  folders: { name: string; path: string }[];
  has_accounts: boolean;
}
export interface SnapshotOut {
  id: string;
  created_at: string;
  tracks: number;
  files: number;
  covers: number;
  absent: number;
  mended: number;
  bytes: number;
  has_keys: boolean;
  problem: string | null;
}
export interface BackupIn {
  to?: string | undefined;
}
export interface BackupTestIn {
  to?: string | undefined;
}
export interface BackupTestOut {
  target: string;
  problem: string | null;
  is_new: boolean | null;
  is_encrypted: boolean | null;
  snapshots: number | null;
  free_bytes: number | null;
}
export interface BackupCheckIn {
  percent?: number | undefined;
}
export interface RestoreIn {
  folder?: string | undefined;
  replace?: boolean | undefined;
  accept_settings?: boolean | undefined;
}
export interface RestoreDecisionIn {
  accept_settings: boolean;
}
export interface ExportIn {
  folder: string;
}
export interface ImportIn {
  folder: string;
  replace?: boolean | undefined;
}
export interface StatusOut {
  problems: { code: ProblemCode; tracks: number | null }[];
}
export interface StoreTestIn {
  s3_provider?: (string | number | boolean | null) | undefined;
  s3_endpoint?: (string | number | boolean | null) | undefined;
  s3_region?: (string | number | boolean | null) | undefined;
  s3_bucket?: (string | number | boolean | null) | undefined;
  s3_prefix?: (string | number | boolean | null) | undefined;
  s3_access_key_id?: (string | number | boolean | null) | undefined;
  s3_secret_access_key?: (string | number | boolean | null) | undefined;
  s3_force_path_style?: (string | number | boolean | null) | undefined;
  s3_checksums?: (string | number | boolean | null) | undefined;
}
export interface StoreTestOut {
  problem: string | null;
}
export type VerifyIn = Record<string, unknown>;
export interface GarbageIn {
  dry_run?: boolean | undefined;
  earlier_library?: boolean | undefined;
}
export interface StorageStats {
  tracks: number;
  artists: number;
  albums: number;
  size_bytes: number;
  duration_ms: number;
  by_format: { key: string; tracks: number; size_bytes: number }[];
  by_source: { key: string; tracks: number; size_bytes: number }[];
  by_metadata_status: { key: string; tracks: number; size_bytes: number }[];
  albums_by_year: { year: number; albums: number }[];
  top_genres: { genre: string; tracks: number }[];
  disk: DiskUsage | null;
}
export interface DiskUsage {
  path: string;
  total_bytes: number;
  free_bytes: number;
  used_bytes: number;
}
export interface ListeningStats {
  from: string | null;
  to: string | null;
  tz: string;
  plays: number;
  played_ms: number;
  minutes: number;
  days: { day: string; plays: number; played_ms: number; minutes: number }[];
  hours: { hour: number; plays: number; played_ms: number; minutes: number }[];
  week: { weekday: number; hour: number; plays: number; played_ms: number; minutes: number }[];
  top_tracks: {
    track_id: number | null;
    title: string;
    artist_name: string | null;
    album_id: number | null;
    has_cover: boolean;
    plays: number;
    played_ms: number;
    minutes: number;
  }[];
  top_albums: {
    album_id: number | null;
    title: string;
    artist_name: string | null;
    has_cover: boolean;
    plays: number;
    played_ms: number;
    minutes: number;
  }[];
  top_artists: {
    artist_id: number | null;
    name: string;
    has_cover: boolean;
    plays: number;
    played_ms: number;
    minutes: number;
  }[];
  top_genres: { genre: string; plays: number; played_ms: number; minutes: number }[];
}
export interface YearReview {
  year: number;
  tz: string;
  plays: number;
  played_ms: number;
  minutes: number;
  active_days: number;
  months: { month: number; plays: number; played_ms: number; minutes: number }[];
  hours: { hour: number; plays: number; played_ms: number; minutes: number }[];
  top_tracks: {
    track_id: number | null;
    title: string;
    artist_name: string | null;
    album_id: number | null;
    has_cover: boolean;
    plays: number;
    played_ms: number;
    minutes: number;
  }[];
  top_albums: {
    album_id: number | null;
    title: string;
    artist_name: string | null;
    has_cover: boolean;
    plays: number;
    played_ms: number;
    minutes: number;
  }[];
  top_artists: {
    artist_id: number | null;
    name: string;
    has_cover: boolean;
    plays: number;
    played_ms: number;
    minutes: number;
  }[];
  top_genres: { genre: string; plays: number; played_ms: number; minutes: number }[];
  longest_streak: { days: number; from: string; to: string } | null;
  busiest_day: { day: string; plays: number; played_ms: number; minutes: number } | null;
  first_play: { track_id: number | null; title: string; artist_name: string | null; played_at: string } | null;
  last_play: { track_id: number | null; title: string; artist_name: string | null; played_at: string } | null;
  new_tracks: number;
  new_artists: number;
  discoveries: {
    track_id: number | null;
    title: string;
    artist_name: string | null;
    album_id: number | null;
    has_cover: boolean;
    plays: number;
    played_ms: number;
    minutes: number;
  }[];
}
export interface NetworkOut {
  shared: boolean;
  locked_because: string | null;
  problem: string | null;
  port: number;
  addresses: { url: string; address: string; family: 'ipv4' | 'ipv6'; interface: string }[];
  name: { url: string; problem: string | null } | null;
  registration_open: boolean;
}
export interface GuestShare {
  kind: 'track' | 'album' | 'artist' | 'genre' | 'playlist' | 'folder' | null;
  name: string | null;
  artist_name: string | null;
  shared_by: string;
  expires_at: string | null;
  allows_saving: boolean;
  track_count: number;
  duration_ms: number;
  tracks: GuestTrack[];
}
export interface GuestTrack {
  position: number;
  title: string;
  artist_name: string | null;
  album_title: string | null;
  duration_ms: number | null;
  cover_position: number | null;
  is_available: boolean;
  format: string | null;
  bitrate_kbps: number | null;
  sample_rate_hz: number | null;
}
export interface SharePassword {
  password: string;
}
export interface Routes {
  'GET /health': { input: {}; reply: HealthOut };
  'GET /settings': { input: {}; reply: SettingsOut };
  'PATCH /settings': {
    input: { query?: { dry_run?: boolean | null | undefined }; body: SettingsPatch };
    reply: SettingsOut;
  };
  'GET /server': { input: {}; reply: ServerOut };
  'GET /jobs': {
    input: {
      query?: {
        status?: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled' | null | undefined;
        task?: string | number | null | undefined;
        limit?: number | null | undefined;
        offset?: number | null | undefined;
      };
    };
    reply: PagedJobs;
  };
  'GET /jobs/{id}': { input: { path: { id: number } }; reply: JobOut };
  'DELETE /jobs/{id}': { input: { path: { id: number } }; reply: JobOut };
  'POST /jobs/{id}/retry': { input: { path: { id: number } }; reply: JobOut };
  'GET /auth/status': { input: {}; reply: AuthStatus };
  'POST /auth/login': { input: { body: LoginBody }; reply: TokenResponse };
  'POST /auth/register': { input: { body: Registration }; reply: TokenResponse };
  'POST /auth/setup': { input: { body: SetupBody }; reply: TokenResponse };
  'POST /auth/desktop': { input: { body: DesktopBody }; reply: TokenResponse };
  'POST /auth/media-token': { input: { body: UrlTokenIn }; reply: UrlTokenOut };
  'POST /auth/refresh': { input: {}; reply: TokenResponse };
  'POST /auth/logout': { input: {}; reply: undefined };
  'GET /users/me': { input: {}; reply: UserOut };
  'PATCH /users/me': { input: { body: PasswordChange }; reply: TokenResponse };
  'PUT /users/me/privacy': { input: { body: Privacy }; reply: UserOut };
  'GET /users/me/subsonic-password': { input: {}; reply: AppPasswordOut };
  'POST /users/me/subsonic-password': { input: {}; reply: AppPasswordOut };
  'GET /users/me/app-passwords': { input: {}; reply: AppPasswordInfo[] };
  'POST /users/me/app-passwords': { input: { body: AppPasswordCreate }; reply: NewAppPasswordOut };
  'DELETE /users/me/app-passwords/{id}': { input: { path: { id: number } }; reply: undefined };
  'GET /users/me/sessions': { input: {}; reply: SessionOut[] };
  'DELETE /users/me/sessions': { input: {}; reply: undefined };
  'DELETE /users/me/sessions/{id}': { input: { path: { id: number } }; reply: undefined };
  'GET /users': {
    input: { query?: { limit?: number | null | undefined; offset?: number | null | undefined } };
    reply: PagedUsers;
  };
  'POST /users': { input: { body: UserCreate }; reply: UserOut };
  'PATCH /users/{id}': { input: { path: { id: number }; body: UserUpdate }; reply: UserOut };
  'DELETE /users/{id}': { input: { path: { id: number } }; reply: undefined };
  'GET /users/{id}/sessions': { input: { path: { id: number } }; reply: SessionOut[] };
  'DELETE /users/{id}/sessions': { input: { path: { id: number } }; reply: undefined };
  'DELETE /users/{id}/sessions/{session_id}': { input: { path: { id: number; session_id: number } }; reply: undefined };
  'GET /users/{id}/app-passwords': { input: { path: { id: number } }; reply: AppPasswordInfo[] };
  'DELETE /users/{id}/app-passwords/{app_password_id}': {
    input: { path: { id: number; app_password_id: number } };
    reply: undefined;
  };
  'POST /users/{user}/subsonic-password': { input: { path: { user: string } }; reply: AppPasswordOut };
  'GET /notices': { input: {}; reply: NoticeOut[] };
  'DELETE /notices/{name}': { input: { path: { name: 'rights' } }; reply: undefined };
  'GET /tracks': {
    input: {
      query?: {
        q?: string | number | null | undefined;
        source?: 'upload' | 'local_folder' | 'streamsrc' | null | undefined;
        artist_id?: number | null | undefined;
        album_id?: number | null | undefined;
        artist?: string | number | null | undefined;
        album?: string | number | null | undefined;
        credit_id?: number | null | undefined;
        credit?: string | number | null | undefined;
        credit_role?: CreditRole | null | undefined;
        mood?: string | number | null | undefined;
        grouping?: string | number | null | undefined;
        tag?: unknown;
        has_cover?: boolean | null | undefined;
        genre?: string | number | null | undefined;
        year_from?: number | null | undefined;
        year_to?: number | null | undefined;
        original_year_from?: number | null | undefined;
        original_year_to?: number | null | undefined;
        bpm_from?: number | null | undefined;
        bpm_to?: number | null | undefined;
        energy_from?: number | null | undefined;
        energy_to?: number | null | undefined;
        composer?: string | number | null | undefined;
        label?: string | number | null | undefined;
        initial_key?: string | number | null | undefined;
        format?:
          | 'mp3'
          | 'flac'
          | 'ogg'
          | 'opus'
          | 'spx'
          | 'm4a'
          | 'wav'
          | 'aiff'
          | 'aac'
          | 'wma'
          | 'ape'
          | 'wv'
          | 'mpc'
          | 'dsf'
          | 'dff'
          | 'mka'
          | 'tta'
          | 'tak'
          | 'w64'
          | 'caf'
          | 'ac3'
          | 'eac3'
          | 'dts'
          | 'loas'
          | 'unknown'
          | null
          | undefined;
        metadata_status?: 'pending' | 'enriched' | 'failed' | 'manual' | null | undefined;
        availability?: 'available' | 'remote' | 'fetching' | 'missing' | null | undefined;
        liked?: boolean | null | undefined;
        rating_from?: number | null | undefined;
        rating_to?: number | null | undefined;
        folder?: string | number | null | undefined;
        below?: boolean | null | undefined;
        sort?:
          | 'title'
          | 'artist'
          | 'album'
          | 'year'
          | 'original_year'
          | 'composer'
          | 'label'
          | 'bpm'
          | 'initial_key'
          | 'energy'
          | 'created_at'
          | 'duration'
          | 'play_count'
          | 'last_played_at'
          | 'rating'
          | 'path'
          | 'random'
          | null
          | undefined;
        order?: 'asc' | 'desc' | null | undefined;
        seed?: string | number | null | undefined;
        limit?: number | null | undefined;
        offset?: number | null | undefined;
      };
    };
    reply: PagedTracks;
  };
  'GET /tracks/{id}': { input: { path: { id: number } }; reply: TrackOut };
  'PATCH /tracks/{id}': {
    input: { path: { id: number }; query?: { batch?: string | number | null | undefined }; body: TrackPatch };
    reply: TrackOut;
  };
  'DELETE /tracks/{id}': { input: { path: { id: number } }; reply: undefined };
  'GET /tracks/{id}/lyrics': { input: { path: { id: number } }; reply: LyricsOut };
  'PUT /tracks/{id}/lyrics': { input: { path: { id: number }; body: LyricsIn }; reply: LyricsOut };
  'DELETE /tracks/{id}/lyrics': { input: { path: { id: number } }; reply: undefined };
  'GET /tracks/{id}/file-notes': { input: { path: { id: number } }; reply: string[] };
  'GET /tracks/{id}/chapters': { input: { path: { id: number } }; reply: ChaptersOut };
  'PUT /tracks/{id}/metadata': {
    input: { path: { id: number }; query?: { batch?: string | number | null | undefined }; body: TrackPut };
    reply: TrackOut;
  };
  'GET /albums': {
    input: {
      query?: {
        q?: string | number | null | undefined;
        genre?: string | number | null | undefined;
        year_from?: number | null | undefined;
        year_to?: number | null | undefined;
        artist_id?: number | null | undefined;
        artist?: string | number | null | undefined;
        credit_id?: number | null | undefined;
        credit?: string | number | null | undefined;
        credit_role?: CreditRole | null | undefined;
        mood?: string | number | null | undefined;
        grouping?: string | number | null | undefined;
        tag?: unknown;
        has_cover?: boolean | null | undefined;
        format?:
          | 'mp3'
          | 'flac'
          | 'ogg'
          | 'opus'
          | 'spx'
          | 'm4a'
          | 'wav'
          | 'aiff'
          | 'aac'
          | 'wma'
          | 'ape'
          | 'wv'
          | 'mpc'
          | 'dsf'
          | 'dff'
          | 'mka'
          | 'tta'
          | 'tak'
          | 'w64'
          | 'caf'
          | 'ac3'
          | 'eac3'
          | 'dts'
          | 'loas'
          | 'unknown'
          | null
          | undefined;
        liked?: boolean | null | undefined;
        rating_from?: number | null | undefined;
        rating_to?: number | null | undefined;
        unnamed?: boolean | null | undefined;
        sort?:
          | 'title'
          | 'artist'
          | 'year'
          | 'created_at'
          | 'play_count'
          | 'last_played_at'
          | 'rating'
          | 'random'
          | null
          | undefined;
        order?: 'asc' | 'desc' | null | undefined;
        seed?: string | number | null | undefined;
        limit?: number | null | undefined;
        offset?: number | null | undefined;
      };
    };
    reply: PagedAlbums;
  };
  'GET /albums/{id}': { input: { path: { id: number } }; reply: AlbumOut };
  'PATCH /albums/{id}': {
    input: { path: { id: number }; query?: { batch?: string | number | null | undefined }; body: AlbumPatch };
    reply: AlbumOut;
  };
  'GET /albums/{id}/tracks': {
    input: {
      path: { id: number };
      query?: {
        q?: string | number | null | undefined;
        source?: 'upload' | 'local_folder' | 'streamsrc' | null | undefined;
        artist_id?: number | null | undefined;
        album_id?: number | null | undefined;
        artist?: string | number | null | undefined;
        album?: string | number | null | undefined;
        credit_id?: number | null | undefined;
        credit?: string | number | null | undefined;
        credit_role?: CreditRole | null | undefined;
        mood?: string | number | null | undefined;
        grouping?: string | number | null | undefined;
        tag?: unknown;
        has_cover?: boolean | null | undefined;
        genre?: string | number | null | undefined;
        year_from?: number | null | undefined;
        year_to?: number | null | undefined;
        original_year_from?: number | null | undefined;
        original_year_to?: number | null | undefined;
        bpm_from?: number | null | undefined;
        bpm_to?: number | null | undefined;
        energy_from?: number | null | undefined;
        energy_to?: number | null | undefined;
        composer?: string | number | null | undefined;
        label?: string | number | null | undefined;
        initial_key?: string | number | null | undefined;
        format?:
          | 'mp3'
          | 'flac'
          | 'ogg'
          | 'opus'
          | 'spx'
          | 'm4a'
          | 'wav'
          | 'aiff'
          | 'aac'
          | 'wma'
          | 'ape'
          | 'wv'
          | 'mpc'
          | 'dsf'
          | 'dff'
          | 'mka'
          | 'tta'
          | 'tak'
          | 'w64'
          | 'caf'
          | 'ac3'
          | 'eac3'
          | 'dts'
          | 'loas'
          | 'unknown'
          | null
          | undefined;
        metadata_status?: 'pending' | 'enriched' | 'failed' | 'manual' | null | undefined;
        availability?: 'available' | 'remote' | 'fetching' | 'missing' | null | undefined;
        liked?: boolean | null | undefined;
        rating_from?: number | null | undefined;
        rating_to?: number | null | undefined;
        folder?: string | number | null | undefined;
        below?: boolean | null | undefined;
        sort?:
          | 'title'
          | 'artist'
          | 'album'
          | 'year'
          | 'original_year'
          | 'composer'
          | 'label'
          | 'bpm'
          | 'initial_key'
          | 'energy'
          | 'created_at'
          | 'duration'
          | 'play_count'
          | 'last_played_at'
          | 'rating'
          | 'path'
          | 'random'
          | null
          | undefined;
        order?: 'asc' | 'desc' | null | undefined;
        seed?: string | number | null | undefined;
        limit?: number | null | undefined;
        offset?: number | null | undefined;
        best_only?: boolean | null | undefined;
      };
    };
    reply: PagedTracks;
  };
  'GET /tracks/{id}/versions': { input: { path: { id: number } }; reply: TrackOut[] };
  'GET /albums/{id}/contradictions': { input: { path: { id: number } }; reply: ContradictionOut[] };
  'GET /albums/{id}/editions': { input: { path: { id: number } }; reply: AlbumOut[] };
  'GET /artists': {
    input: {
      query?: {
        q?: string | number | null | undefined;
        genre?: string | number | null | undefined;
        year_from?: number | null | undefined;
        year_to?: number | null | undefined;
        artist_id?: number | null | undefined;
        liked?: boolean | null | undefined;
        rating_from?: number | null | undefined;
        rating_to?: number | null | undefined;
        sort?:
          | 'name'
          | 'artist'
          | 'year'
          | 'created_at'
          | 'play_count'
          | 'last_played_at'
          | 'rating'
          | 'random'
          | null
          | undefined;
        order?: 'asc' | 'desc' | null | undefined;
        seed?: string | number | null | undefined;
        limit?: number | null | undefined;
        offset?: number | null | undefined;
      };
    };
    reply: PagedArtists;
  };
  'GET /artists/{id}': { input: { path: { id: number } }; reply: ArtistOut };
  'PATCH /artists/{id}': { input: { path: { id: number }; body: ArtistPatch }; reply: ArtistOut };
  'GET /artists/{id}/albums': {
    input: {
      path: { id: number };
      query?: {
        q?: string | number | null | undefined;
        genre?: string | number | null | undefined;
        year_from?: number | null | undefined;
        year_to?: number | null | undefined;
        artist_id?: number | null | undefined;
        artist?: string | number | null | undefined;
        credit_id?: number | null | undefined;
        credit?: string | number | null | undefined;
        credit_role?: CreditRole | null | undefined;
        mood?: string | number | null | undefined;
        grouping?: string | number | null | undefined;
        tag?: unknown;
        has_cover?: boolean | null | undefined;
        format?:
          | 'mp3'
          | 'flac'
          | 'ogg'
          | 'opus'
          | 'spx'
          | 'm4a'
          | 'wav'
          | 'aiff'
          | 'aac'
          | 'wma'
          | 'ape'
          | 'wv'
          | 'mpc'
          | 'dsf'
          | 'dff'
          | 'mka'
          | 'tta'
          | 'tak'
          | 'w64'
          | 'caf'
          | 'ac3'
          | 'eac3'
          | 'dts'
          | 'loas'
          | 'unknown'
          | null
          | undefined;
        liked?: boolean | null | undefined;
        rating_from?: number | null | undefined;
        rating_to?: number | null | undefined;
        unnamed?: boolean | null | undefined;
        sort?:
          | 'title'
          | 'artist'
          | 'year'
          | 'created_at'
          | 'play_count'
          | 'last_played_at'
          | 'rating'
          | 'random'
          | null
          | undefined;
        order?: 'asc' | 'desc' | null | undefined;
        seed?: string | number | null | undefined;
        limit?: number | null | undefined;
        offset?: number | null | undefined;
      };
    };
    reply: PagedAlbums;
  };
  'GET /artists/{id}/tracks': {
    input: {
      path: { id: number };
      query?: {
        q?: string | number | null | undefined;
        source?: 'upload' | 'local_folder' | 'streamsrc' | null | undefined;
        artist_id?: number | null | undefined;
        album_id?: number | null | undefined;
        artist?: string | number | null | undefined;
        album?: string | number | null | undefined;
        credit_id?: number | null | undefined;
        credit?: string | number | null | undefined;
        credit_role?: CreditRole | null | undefined;
        mood?: string | number | null | undefined;
        grouping?: string | number | null | undefined;
        tag?: unknown;
        has_cover?: boolean | null | undefined;
        genre?: string | number | null | undefined;
        year_from?: number | null | undefined;
        year_to?: number | null | undefined;
        original_year_from?: number | null | undefined;
        original_year_to?: number | null | undefined;
        bpm_from?: number | null | undefined;
        bpm_to?: number | null | undefined;
        energy_from?: number | null | undefined;
        energy_to?: number | null | undefined;
        composer?: string | number | null | undefined;
        label?: string | number | null | undefined;
        initial_key?: string | number | null | undefined;
        format?:
          | 'mp3'
          | 'flac'
          | 'ogg'
          | 'opus'
          | 'spx'
          | 'm4a'
          | 'wav'
          | 'aiff'
          | 'aac'
          | 'wma'
          | 'ape'
          | 'wv'
          | 'mpc'
          | 'dsf'
          | 'dff'
          | 'mka'
          | 'tta'
          | 'tak'
          | 'w64'
          | 'caf'
          | 'ac3'
          | 'eac3'
          | 'dts'
          | 'loas'
          | 'unknown'
          | null
          | undefined;
        metadata_status?: 'pending' | 'enriched' | 'failed' | 'manual' | null | undefined;
        availability?: 'available' | 'remote' | 'fetching' | 'missing' | null | undefined;
        liked?: boolean | null | undefined;
        rating_from?: number | null | undefined;
        rating_to?: number | null | undefined;
        folder?: string | number | null | undefined;
        below?: boolean | null | undefined;
        sort?:
          | 'title'
          | 'artist'
          | 'album'
          | 'year'
          | 'original_year'
          | 'composer'
          | 'label'
          | 'bpm'
          | 'initial_key'
          | 'energy'
          | 'created_at'
          | 'duration'
          | 'play_count'
          | 'last_played_at'
          | 'rating'
          | 'path'
          | 'random'
          | null
          | undefined;
        order?: 'asc' | 'desc' | null | undefined;
        seed?: string | number | null | undefined;
        limit?: number | null | undefined;
        offset?: number | null | undefined;
      };
    };
    reply: PagedTracks;
  };
  'GET /genres': { input: {}; reply: GenreOut[] };
  'GET /people': {
    input: {
      query?: {
        role?: CreditRole | null | undefined;
        q?: string | number | null | undefined;
        limit?: number | null | undefined;
        offset?: number | null | undefined;
      };
    };
    reply: PagedPeople;
  };
  'GET /people/roles': { input: {}; reply: CreditRole[] };
  'GET /people/{id}': { input: { path: { id: number } }; reply: PersonOut };
  'GET /artists/{id}/credits': { input: { path: { id: number } }; reply: PersonOut | null };
  'GET /tracks/{id}/credits': { input: { path: { id: number } }; reply: TrackCreditOut[] };
  'GET /albums/{id}/credits': { input: { path: { id: number } }; reply: AlbumCreditOut[] };
  'GET /albums/{id}/works': { input: { path: { id: number } }; reply: WorkOut[] };
  'GET /tags': { input: {}; reply: TagOut[] };
  'GET /tags/{name}': {
    input: {
      path: { name: string };
      query?: {
        q?: string | number | null | undefined;
        limit?: number | null | undefined;
        offset?: number | null | undefined;
      };
    };
    reply: PagedTagValues;
  };
  'GET /tracks/{id}/edits': { input: { path: { id: number } }; reply: TrackEditOut[] };
  'POST /tracks/{id}/edits/{edit_id}/undo': { input: { path: { id: number; edit_id: number } }; reply: UndoneEditOut };
  'POST /edits/{batch}/undo': { input: { path: { batch: string } }; reply: UndoneEdits };
  'GET /folders': {
    input: {
      query?: {
        path?: string | number | null | undefined;
        limit?: number | null | undefined;
        offset?: number | null | undefined;
      };
    };
    reply: PagedFolders;
  };
  'GET /trash': {
    input: { query?: { limit?: number | null | undefined; offset?: number | null | undefined } };
    reply: PagedTrashedTracks;
  };
  'POST /trash/restore': { input: { body: TrashedIds }; reply: RestoredTracks };
  'POST /trash/empty': { input: { body: TrashedIdsOrAll }; reply: DeletedTracks };
  'POST /trash/{id}/restore': { input: { path: { id: number } }; reply: TrackOut };
  'DELETE /trash/{id}': { input: { path: { id: number } }; reply: undefined };
  'GET /merges': {
    input: { query?: { limit?: number | null | undefined; offset?: number | null | undefined } };
    reply: PagedMerges;
  };
  'POST /merges/{id}/undo': { input: { path: { id: number } }; reply: TrackOut };
  'GET /album-changes': {
    input: { query?: { limit?: number | null | undefined; offset?: number | null | undefined } };
    reply: PagedAlbumChanges;
  };
  'POST /album-changes': { input: { body: { album_ids: number[] | null } }; reply: JobOut };
  'GET /album-regroupings': {
    input: { query?: { limit?: number | null | undefined; offset?: number | null | undefined } };
    reply: PagedRegroupings;
  };
  'POST /album-regroupings/{id}/undo': { input: { path: { id: number } }; reply: undefined };
  'POST /albums/{id}/merge': { input: { path: { id: number }; body: { into: number } }; reply: RegroupingOut };
  'POST /likes': { input: { body: LikeEvent }; reply: LikeState };
  'GET /likes': {
    input: {
      query?: {
        item_type?: 'track' | 'album' | 'artist' | null | undefined;
        limit?: number | null | undefined;
        offset?: number | null | undefined;
      };
    };
    reply: PagedLikeEvents;
  };
  'GET /likes/state': {
    input: {
      query?: {
        item_type?: 'track' | 'album' | 'artist' | null | undefined;
        item_id?: number[] | null | undefined;
        limit?: number | null | undefined;
        offset?: number | null | undefined;
      };
    };
    reply: LikeState[];
  };
  'POST /history': { input: { body: HistoryIn | HistoryBatchIn }; reply: HistoryOut | HistoryBatchOut };
  'GET /history': {
    input: {
      query?: {
        track_id?: number | null | undefined;
        from?: string | number | null | undefined;
        to?: string | number | null | undefined;
        limit?: number | null | undefined;
        offset?: number | null | undefined;
      };
    };
    reply: PagedHistory;
  };
  'DELETE /history/{id}': { input: { path: { id: number } }; reply: undefined };
  'POST /history/{id}/restore': { input: { path: { id: number } }; reply: HistoryOut };
  'GET /history/now-playing': { input: {}; reply: NowPlayingOut };
  'POST /history/now-playing': { input: { body: NowPlayingIn }; reply: undefined };
  'POST /history/import': { input: { body: FormData }; reply: HistoryImportOut };
  'GET /history/imports': {
    input: { query?: { limit?: number | null | undefined; offset?: number | null | undefined } };
    reply: PagedHistoryImports;
  };
  'GET /history/imports/{id}': { input: { path: { id: number } }; reply: HistoryImportOut };
  'GET /users/me/scrobbling/services': { input: {}; reply: ScrobblingOut[] };
  'GET /users/me/scrobbling': {
    input: { query?: { service?: 'lastfm' | 'librefm' | 'listenbrainz' | 'maloja' | null | undefined } };
    reply: ScrobblingOut;
  };
  'PUT /users/me/scrobbling': {
    input: {
      query?: { service?: 'lastfm' | 'librefm' | 'listenbrainz' | 'maloja' | null | undefined };
      body: ScrobblingIn;
    };
    reply: ScrobblingOut;
  };
  'DELETE /users/me/scrobbling': {
    input: { query?: { service?: 'lastfm' | 'librefm' | 'listenbrainz' | 'maloja' | null | undefined } };
    reply: undefined;
  };
  'POST /users/me/scrobbling/sign-in': {
    input: { query?: { service?: 'lastfm' | 'librefm' | 'listenbrainz' | 'maloja' | null | undefined } };
    reply: ScrobblingSignIn;
  };
  'POST /users/me/scrobbling/loves': {
    input: { query?: { service?: 'lastfm' | 'librefm' | 'listenbrainz' | 'maloja' | null | undefined } };
    reply: undefined;
  };
  'GET /queue': { input: {}; reply: QueueOut };
  'PUT /queue': { input: { body: QueueIn }; reply: QueueOut };
  'GET /queue/tracks': {
    input: { query?: { limit?: number | null | undefined; offset?: number | null | undefined } };
    reply: PagedQueueTracks;
  };
  'GET /bookmarks': {
    input: { query?: { limit?: number | null | undefined; offset?: number | null | undefined } };
    reply: PagedBookmarks;
  };
  'GET /bookmarks/{track_id}': { input: { path: { track_id: number } }; reply: BookmarkOut };
  'PUT /bookmarks/{track_id}': { input: { path: { track_id: number }; body: BookmarkIn }; reply: BookmarkOut };
  'DELETE /bookmarks/{track_id}': { input: { path: { track_id: number } }; reply: undefined };
  'GET /lyrics/search': {
    input: { query: { q: string | number; limit?: number | null | undefined; offset?: number | null | undefined } };
    reply: PagedLyricsHits;
  };
  'POST /tracks/{id}/lyrics/lookup': { input: { path: { id: number } }; reply: LyricsLookup };
  'GET /tracks/{id}/lyrics/candidates': {
    input: { path: { id: number }; query?: { q?: string | number | null | undefined } };
    reply: LyricsCandidate[];
  };
  'GET /playlists': {
    input: {
      query?: {
        deleted?: boolean | null | undefined;
        limit?: number | null | undefined;
        offset?: number | null | undefined;
      };
    };
    reply: PagedPlaylists;
  };
  'POST /playlists': {
    input: { query?: { entries?: boolean | null | undefined }; body: PlaylistCreate };
    reply: PlaylistOut;
  };
  'GET /playlists/smart-fields': { input: {}; reply: SmartFieldsOut };
  'POST /playlists/preview': { input: { body: PlaylistPreview }; reply: PlaylistPreviewOut };
  'POST /playlists/import': {
    input: {
      query?: {
        name?: string | number | null | undefined;
        is_public?: boolean | null | undefined;
        entries?: boolean | null | undefined;
      };
      body: FormData;
    };
    reply: PlaylistImportOut;
  };
  'GET /playlists/{id}': {
    input: { path: { id: number }; query?: { entries?: boolean | null | undefined } };
    reply: PlaylistOut;
  };
  'PATCH /playlists/{id}': {
    input: { path: { id: number }; query?: { entries?: boolean | null | undefined }; body: PlaylistUpdate };
    reply: PlaylistOut;
  };
  'DELETE /playlists/{id}': {
    input: { path: { id: number }; query?: { forever?: boolean | null | undefined } };
    reply: undefined;
  };
  'GET /playlists/{id}/unmatched': {
    input: { path: { id: number }; query?: { limit?: number | null | undefined; offset?: number | null | undefined } };
    reply: PagedUnmatchedLines;
  };
  'POST /playlists/{id}/undelete': {
    input: { path: { id: number }; query?: { entries?: boolean | null | undefined } };
    reply: PlaylistOut;
  };
  'GET /playlists/{id}/tracks': {
    input: {
      path: { id: number };
      query?: {
        limit?: number | null | undefined;
        offset?: number | null | undefined;
        q?: string | number | null | undefined;
        seed?: string | number | null | undefined;
      };
    };
    reply: PagedPlaylistEntries;
  };
  'POST /playlists/{id}/tracks': {
    input: { path: { id: number }; query?: { entries?: boolean | null | undefined }; body: PlaylistAddTracks };
    reply: PlaylistOut;
  };
  'PUT /playlists/{id}/tracks': {
    input: { path: { id: number }; query?: { entries?: boolean | null | undefined }; body: PlaylistReorder };
    reply: PlaylistOut;
  };
  'DELETE /playlists/{id}/tracks': {
    input: {
      path: { id: number };
      query?: {
        entry_id?: number[] | null | undefined;
        track_id?: number[] | null | undefined;
        expected_version?: number | null | undefined;
        entries?: boolean | null | undefined;
      };
      body?: PlaylistRemoveTracks;
    };
    reply: PlaylistOut;
  };
  'POST /playlists/{id}/tracks/{track_id}': {
    input: { path: { id: number; track_id: number }; query?: { entries?: boolean | null | undefined } };
    reply: PlaylistOut;
  };
  'DELETE /playlists/{id}/tracks/{track_id}': {
    input: {
      path: { id: number; track_id: number };
      query?: { expected_version?: number | null | undefined; entries?: boolean | null | undefined };
    };
    reply: PlaylistOut;
  };
  'DELETE /playlists/{id}/entries/{entry_id}': {
    input: {
      path: { id: number; entry_id: number };
      query?: { expected_version?: number | null | undefined; entries?: boolean | null | undefined };
    };
    reply: PlaylistOut;
  };
  'POST /playlists/{id}/tracks/remove': {
    input: { path: { id: number }; query?: { entries?: boolean | null | undefined }; body: PlaylistRemove };
    reply: PlaylistOut;
  };
  'POST /playlists/{id}/tracks/move': {
    input: { path: { id: number }; query?: { entries?: boolean | null | undefined }; body: PlaylistMove };
    reply: PlaylistOut;
  };
  'GET /playlists/{id}/contains': { input: { path: { id: number }; query: { track_id: number[] } }; reply: number[] };
  'GET /playlists/{id}/versions': {
    input: {
      path: { id: number };
      query?: {
        limit?: number | null | undefined;
        offset?: number | null | undefined;
        q?: string | number | null | undefined;
        seed?: string | number | null | undefined;
      };
    };
    reply: PagedPlaylistVersions;
  };
  'GET /playlists/{id}/versions/{version}': {
    input: {
      path: { id: number; version: number };
      query?: {
        limit?: number | null | undefined;
        offset?: number | null | undefined;
        q?: string | number | null | undefined;
        seed?: string | number | null | undefined;
      };
    };
    reply: PagedPlaylistVersionEntries;
  };
  'POST /playlists/{id}/restore': {
    input: { path: { id: number }; query?: { entries?: boolean | null | undefined }; body: PlaylistRestore };
    reply: PlaylistRestoreOut;
  };
  'GET /playlists/{id}/export.m3u8': {
    input: { path: { id: number }; query?: { paths?: 'relative' | 'absolute' | null | undefined } };
    reply: unknown;
  };
  'GET /stream/{id}': {
    input: {
      path: { id: number };
      query?: {
        format?: 'raw' | 'playable' | 'mp3' | 'opus' | 'ogg' | 'aac' | 'm4a' | 'flac' | 'wav' | null | undefined;
        max_bitrate?: number | null | undefined;
        start_ms?: number | null | undefined;
        token?: string | number | null | undefined;
      };
    };
    reply: unknown;
  };
  'GET /zip': {
    input: {
      query?: {
        album_id?: number | null | undefined;
        artist_id?: number | null | undefined;
        playlist_id?: number | null | undefined;
        track_ids?: number[] | null | undefined;
        format?: 'mp3' | 'opus' | 'ogg' | 'aac' | 'm4a' | 'flac' | 'wav' | null | undefined;
        max_bitrate?: number | null | undefined;
        name?: string | number | null | undefined;
        token?: string | number | null | undefined;
      };
    };
    reply: unknown;
  };
  'GET /jukebox': { input: {}; reply: JukeboxOut };
  'PUT /jukebox/speaker': { input: { body: SpeakerIn }; reply: JukeboxOut };
  'DELETE /jukebox/speaker/{speaker_id}': { input: { path: { speaker_id: string } }; reply: undefined };
  'GET /devices': { input: {}; reply: DeviceList };
  'PUT /devices/{device_id}': { input: { path: { device_id: string }; body: DeviceIn }; reply: undefined };
  'POST /devices/{device_id}/commands': {
    input: { path: { device_id: string }; body: DeviceCommandIn };
    reply: undefined;
  };
  'PUT /devices/{device_id}/hand-over': { input: { path: { device_id: string }; body: HandOverIn }; reply: undefined };
  'GET /devices/{device_id}/hand-over': { input: { path: { device_id: string } }; reply: HandOverOut };
  'GET /stations': { input: {}; reply: StationOut[] };
  'POST /stations': { input: { body: StationIn }; reply: StationOut };
  'PUT /stations/{id}': { input: { path: { id: number }; body: StationIn }; reply: StationOut };
  'DELETE /stations/{id}': { input: { path: { id: number } }; reply: undefined };
  'GET /stations/{id}/audio': {
    input: { path: { id: number }; query?: { token?: string | number | null | undefined } };
    reply: unknown;
  };
  'GET /sources': { input: {}; reply: SourceOut[] };
  'GET /albums/{id}/cover': {
    input: {
      path: { id: number };
      query?: { size?: number | null | undefined; token?: string | number | null | undefined };
    };
    reply: unknown;
  };
  'PUT /albums/{id}/cover': { input: { path: { id: number }; body: FormData }; reply: undefined };
  'DELETE /albums/{id}/cover': { input: { path: { id: number } }; reply: undefined };
  'GET /tracks/{id}/cover': {
    input: {
      path: { id: number };
      query?: { size?: number | null | undefined; token?: string | number | null | undefined };
    };
    reply: unknown;
  };
  'GET /artists/{id}/cover': {
    input: {
      path: { id: number };
      query?: { size?: number | null | undefined; token?: string | number | null | undefined };
    };
    reply: unknown;
  };
  'PUT /artists/{id}/cover': { input: { path: { id: number }; body: FormData }; reply: undefined };
  'DELETE /artists/{id}/cover': { input: { path: { id: number } }; reply: undefined };
  'POST /artists/{id}/cover/undo': { input: { path: { id: number } }; reply: undefined };
  'POST /albums/{id}/cover/find': { input: { path: { id: number } }; reply: { found: boolean; reason: string | null } };
  'GET /albums/{id}/cover/candidates': {
    input: { path: { id: number }; query?: { from?: 'files' | 'archive' | null | undefined } };
    reply: CoverCandidates;
  };
  'GET /albums/{id}/cover/candidates/{candidate}': {
    input: { path: { id: number; candidate: string }; query?: { token?: string | number | null | undefined } };
    reply: unknown;
  };
  'POST /albums/{id}/cover/choose': { input: { path: { id: number }; body: CoverChoice }; reply: undefined };
  'GET /shares': { input: {}; reply: ShareOut[] };
  'POST /shares': { input: { body: ShareIn }; reply: ShareOut };
  'PATCH /shares/{id}': { input: { path: { id: number }; body: ShareUpdate }; reply: ShareOut };
  'DELETE /shares/{id}': { input: { path: { id: number } }; reply: undefined };
  'GET /search/library': {
    input: { query: { q: string | number; limit?: number | null | undefined; offset?: number | null | undefined } };
    reply: LibrarySearchResponse;
  };
  'GET /search/folders': {
    input: { query: { q: string | number; limit?: number | null | undefined; offset?: number | null | undefined } };
    reply: PagedFolderHits;
  };
  'GET /search': {
    input: {
      query: { q: string | number; limit?: number | null | undefined; sources?: string | number | null | undefined };
    };
    reply: SearchResponse;
  };
  'GET /sources/{source}/search': {
    input: { path: { source: string }; query: { q: string | number; limit?: number | null | undefined } };
    reply: SearchResponse;
  };
  'GET /sources/{source}/cover': {
    input: {
      path: { source: string };
      query: { source_id: string | number; token?: string | number | null | undefined };
    };
    reply: unknown;
  };
  'GET /albums/{id}/charset': { input: { path: { id: number } }; reply: AlbumCharsetOut };
  'PUT /albums/{id}/charset': { input: { path: { id: number }; body: ChooseCharsetIn }; reply: ChosenCharsetOut };
  'GET /albums/{id}/matches': {
    input: {
      path: { id: number };
      query?: { title?: string | number | null | undefined; artist?: string | number | null | undefined };
    };
    reply: AlbumMatchOut[];
  };
  'GET /albums/{id}/matches/{mbid}': { input: { path: { id: number; mbid: string } }; reply: AlbumMatchDetails };
  'GET /duplicates': {
    input: { query?: { limit?: number | null | undefined; offset?: number | null | undefined } };
    reply: PagedDuplicates;
  };
  'POST /duplicates/merge': { input: { body: DuplicateMergeIn }; reply: TrackOut };
  'POST /duplicates/dismiss': { input: { body: DuplicateDismissIn }; reply: undefined };
  'POST /tracks/{id}/metadata/enrich': { input: { path: { id: number } }; reply: AskedEnrichment };
  'POST /jobs/enrich': { input: { body: EnrichIn }; reply: JobOut };
  'GET /tracks/{id}/matches': { input: { path: { id: number } }; reply: MatchesOut };
  'POST /tracks/{id}/matches/{n}/apply': { input: { path: { id: number; n: number } }; reply: TrackOut };
  'POST /tracks/{id}/metadata/undo': { input: { path: { id: number } }; reply: TrackOut };
  'GET /review': {
    input: { query?: { limit?: number | null | undefined; offset?: number | null | undefined } };
    reply: PagedReviews;
  };
  'DELETE /review/{id}': { input: { path: { id: number } }; reply: undefined };
  'GET /artists/{id}/about': {
    input: { path: { id: number }; query?: { language?: string | number | null | undefined } };
    reply: ArtistAbout;
  };
  'PUT /artists/{id}/about': { input: { path: { id: number }; body: ArtistIdentityIn }; reply: undefined };
  'DELETE /artists/{id}/about': { input: { path: { id: number } }; reply: undefined };
  'POST /artists/{id}/about/lookup': {
    input: { path: { id: number }; query?: { language?: string | number | null | undefined } };
    reply: ArtistAbout;
  };
  'GET /artists/{id}/about/candidates': {
    input: { path: { id: number }; query?: { q?: string | number | null | undefined } };
    reply: ArtistCandidate[];
  };
  'GET /artists/{id}/cover/candidates': { input: { path: { id: number } }; reply: PictureCandidate[] };
  'GET /artists/{id}/cover/candidate': {
    input: { path: { id: number }; query: { file: string | number; token?: string | number | null | undefined } };
    reply: unknown;
  };
  'POST /artists/{id}/cover/choose': { input: { path: { id: number }; body: PictureChoice }; reply: undefined };
  'GET /albums/{id}/about': {
    input: { path: { id: number }; query?: { language?: string | number | null | undefined } };
    reply: AlbumAbout;
  };
  'POST /albums/{id}/about/lookup': {
    input: { path: { id: number }; query?: { language?: string | number | null | undefined } };
    reply: AlbumAbout;
  };
  'GET /analysis': { input: {}; reply: AnalysisOut };
  'DELETE /analysis': { input: {}; reply: undefined };
  'GET /tracks/{id}/analysis': { input: { path: { id: number } }; reply: TrackAnalysisOut };
  'GET /tracks/{id}/waveform': { input: { path: { id: number } }; reply: WaveformOut };
  'GET /likeness': { input: {}; reply: LikenessOut };
  'GET /tracks/{id}/similar': {
    input: { path: { id: number }; query?: { limit?: number | null | undefined } };
    reply: SimilarTracksOut;
  };
  'POST /radio/next': { input: { body: RadioIn }; reply: RadioOut };
  'GET /radio/never': { input: {}; reply: RadioNeverOut };
  'PUT /radio/never/tracks/{id}': { input: { path: { id: number } }; reply: undefined };
  'DELETE /radio/never/tracks/{id}': { input: { path: { id: number } }; reply: undefined };
  'PUT /radio/never/artists/{id}': { input: { path: { id: number } }; reply: undefined };
  'DELETE /radio/never/artists/{id}': { input: { path: { id: number } }; reply: undefined };
  'GET /path': { input: { query: { from: number; to: number; steps?: number | null | undefined } }; reply: PathOut };
  'GET /map': {
    input: {
      query?: {
        min_x?: number | null | undefined;
        min_y?: number | null | undefined;
        max_x?: number | null | undefined;
        max_y?: number | null | undefined;
        points?: number | null | undefined;
        cells?: number | null | undefined;
      };
    };
    reply: MapOut;
  };
  'GET /map/tracks': {
    input: {
      query?: {
        min_x?: number | null | undefined;
        min_y?: number | null | undefined;
        max_x?: number | null | undefined;
        max_y?: number | null | undefined;
        limit?: number | null | undefined;
        offset?: number | null | undefined;
      };
    };
    reply: MapTracksOut;
  };
  'POST /map/line': { input: { body: MapLineIn }; reply: MapLineOut };
  'GET /mixes': { input: { query?: { utc_offset_minutes?: number | null | undefined } }; reply: MixesOut };
  'GET /mixes/{mix}': {
    input: { path: { mix: string }; query?: { utc_offset_minutes?: number | null | undefined } };
    reply: MixTracksOut;
  };
  'GET /tracks/{id}/replacements': { input: { path: { id: number } }; reply: ReplacementOut[] };
  'GET /missing/certain': { input: {}; reply: CertainOut };
  'POST /missing/certain': { input: {}; reply: CertainOut };
  'POST /tracks/{id}/relocate': { input: { path: { id: number }; body: RelocateIn }; reply: TrackOut };
  'POST /tracks/upload': {
    input: { query?: { filename?: string | number | null | undefined }; body: FormData };
    reply: TrackOut | UploadOut;
  };
  'GET /uploads/limits': { input: {}; reply: UploadLimitsOut };
  'GET /podcasts': { input: {}; reply: PodcastOut[] };
  'POST /podcasts': { input: { body: PodcastIn }; reply: PodcastOut };
  'DELETE /podcasts/{id}': { input: { path: { id: number } }; reply: undefined };
  'POST /podcasts/{id}/refresh': { input: { path: { id: number } }; reply: undefined };
  'GET /podcasts/{id}/episodes': {
    input: { path: { id: number }; query?: { limit?: number | null | undefined; offset?: number | null | undefined } };
    reply: PagedEpisodes;
  };
  'POST /podcast-episodes/{id}/download': { input: { path: { id: number } }; reply: EpisodeOut };
  'DELETE /podcast-episodes/{id}/download': { input: { path: { id: number } }; reply: undefined };
  'PUT /podcast-episodes/{id}/position': { input: { path: { id: number }; body: EpisodePositionIn }; reply: undefined };
  'GET /podcast-episodes/{id}/audio': {
    input: { path: { id: number }; query?: { token?: string | number | null | undefined } };
    reply: unknown;
  };
  'POST /tracks/remote': { input: { body: RemoteTrackIn }; reply: TrackOut };
  'POST /tracks/{id}/materialize': { input: { path: { id: number } }; reply: FetchOut };
  'GET /downloads': {
    input: {
      query?: {
        status?: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled' | null | undefined;
        limit?: number | null | undefined;
        offset?: number | null | undefined;
      };
    };
    reply: PagedDownloads;
  };
  'POST /downloads': { input: { body: DownloadIn }; reply: FetchOut };
  'GET /downloads/{id}': { input: { path: { id: number } }; reply: DownloadJobOut };
  'DELETE /downloads/{id}': { input: { path: { id: number } }; reply: DownloadJobOut };
  'POST /downloads/{id}/retry': { input: { path: { id: number } }; reply: DownloadJobOut };
  'POST /playlists/{id}/follow-file': { input: { path: { id: number } }; reply: PlaylistOut };
  'DELETE /playlists/{id}/follow-file': { input: { path: { id: number } }; reply: PlaylistOut };
  'POST /sources/{source}/scan': {
    input: {
      path: { source: string };
      query?: {
        path?: unknown;
        restore?: boolean | null | undefined;
        reread?: boolean | null | undefined;
        dry_run?: boolean | null | undefined;
      };
    };
    reply: JobOut;
  };
  'GET /music-folders': { input: {}; reply: MusicFoldersOut };
  'POST /music-folders': { input: { body: MusicFolderIn }; reply: MusicFolderOut };
  'GET /server-folders': { input: { query?: { path?: string | number | null | undefined } }; reply: ServerFolderOut };
  'GET /server-folders/contents': {
    input: { query: { path: string | number; limit?: number | null | undefined } };
    reply: FolderContentsOut;
  };
  'PATCH /music-folders/{id}': { input: { path: { id: number }; body: MusicFolderPatch }; reply: MusicFolderOut };
  'DELETE /music-folders/{id}': {
    input: { path: { id: number }; query?: { dry_run?: boolean | null | undefined } };
    reply: MusicFolderRemovalOut;
  };
  'POST /music-folders/{id}/restore': { input: { path: { id: number } }; reply: MusicFolderOut };
  'GET /backups': { input: {}; reply: BackupsOut };
  'POST /backups': { input: { body: BackupIn }; reply: JobOut };
  'POST /backups/test': { input: { body: BackupTestIn }; reply: BackupTestOut };
  'POST /backups/check': { input: { body: BackupCheckIn }; reply: JobOut };
  'DELETE /backups/lock': { input: {}; reply: undefined };
  'POST /backups/{id}/restore': { input: { path: { id: string }; body: RestoreIn }; reply: JobOut };
  'PATCH /backups/restore': { input: { body: RestoreDecisionIn }; reply: undefined };
  'DELETE /backups/restore': { input: {}; reply: undefined };
  'DELETE /backups/{id}': { input: { path: { id: string } }; reply: undefined };
  'POST /exports': { input: { body: ExportIn }; reply: JobOut };
  'POST /imports': { input: { body: ImportIn }; reply: JobOut };
  'GET /status': { input: {}; reply: StatusOut };
  'POST /status/clock': { input: {}; reply: undefined };
  'POST /storage/test': { input: { body: StoreTestIn }; reply: StoreTestOut };
  'POST /jobs/verify': { input: { body: VerifyIn }; reply: JobOut };
  'POST /jobs/gc': { input: { body: GarbageIn }; reply: JobOut };
  'GET /storage': { input: {}; reply: StorageStats };
  'GET /stats/listening': {
    input: {
      query?: {
        from?: string | number | null | undefined;
        to?: string | number | null | undefined;
        tz?: string | number | null | undefined;
      };
    };
    reply: ListeningStats;
  };
  'GET /stats/year/{year}': {
    input: { path: { year: string }; query?: { tz?: string | number | null | undefined } };
    reply: YearReview;
  };
  'GET /events': {
    input: {
      query?: { last_event_id?: string | number | null | undefined; device_id?: string | number | null | undefined };
    };
    reply: unknown;
  };
  'GET /network': { input: {}; reply: NetworkOut };
  'PUT /network/sharing': { input: { body: { enabled: boolean } }; reply: NetworkOut };
  'GET /metrics': { input: {}; reply: unknown };
  'GET /openapi.json': {
    input: {};
    reply: { openapi: string; info: Record<string, unknown>; paths: Record<string, unknown> };
  };
  'GET /docs': { input: {}; reply: unknown };
}
