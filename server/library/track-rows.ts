// The second step of every list of tracks: the rows of a page's ids, with all that TrackOut shows, in one statement.
import type { AlbumId, ArtistId, TrackId, UserId } from '../db/ids.ts';
import type { Availability, MetadataStatus } from '../db/schema.ts';
import { fieldColumns, type FieldValues } from '../db/track-fields.ts';
import type { Statements } from './statements.ts';

/** A track with its names, and with what the asking person did with it. */
export interface TrackSummary extends FieldValues {
  id: TrackId;
  title: string;
  artistId: ArtistId | null;
  artistName: string | null;
  artists: { id: ArtistId; name: string }[];
  albumId: AlbumId | null;
  albumTitle: string | null;
  albumArtistId: ArtistId | null;
  albumArtistName: string | null;
  genre: string | null;
  genres: string[];
  durationMs: number | null;
  sizeBytes: number | null;
  format: string | null;
  bitrateKbps: number | null;
  sampleRateHz: number | null;
  bitDepth: number | null;
  channels: number | null;
  source: string;
  sourceId: string;
  storageUri: string | null;
  availability: Availability;
  metadataStatus: MetadataStatus;
  metadataError: string | null;
  enrichedAt: Date | null;
  fpidScore: number | null;
  recordingMbid: string | null;
  trackGainDb: number | null;
  trackPeak: number | null;
  albumGainDb: number | null;
  albumPeak: number | null;
  hasCover: boolean;
  /** Of the album's cover as it is now. */
  coverEtag: string | null;
  hasLyrics: boolean;
  liked: boolean;
  likedAt: Date | null;
  /** 0..5; 0 is no rating. */
  rating: number;
  playCount: number;
  lastPlayedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

type Raw = Omit<
  TrackSummary,
  | 'artists'
  | 'genres'
  | 'hasCover'
  | 'hasLyrics'
  | 'liked'
  | 'likedAt'
  | 'enrichedAt'
  | 'lastPlayedAt'
  | 'createdAt'
  | 'updatedAt'
> & {
  hasCover: number;
  hasLyrics: number;
  liked: number;
  likedAt: number | null;
  enrichedAt: number | null;
  lastPlayedAt: number | null;
  createdAt: number;
  updatedAt: number;
};

// CROSS JOIN: the ids lead. No ORDER BY: sorting these wide rows would take as long as reading them.
const SELECT = `SELECT t.id, t.title, t.artist_id AS artistId, t.artist_name AS artistName, t.album_id AS albumId,
    al.title AS albumTitle, al.artist_id AS albumArtistId, aa.name AS albumArtistName, t.genre,
    ${fieldColumns('t')}, t.duration_ms AS durationMs,
    t.size_bytes AS sizeBytes, t.format, t.bitrate_kbps AS bitrateKbps, t.sample_rate_hz AS sampleRateHz,
    t.bit_depth AS bitDepth, t.channels, t.source, t.source_id AS sourceId, t.storage_uri AS storageUri,
    t.availability, t.metadata_status AS metadataStatus, t.metadata_error AS metadataError,
    t.enriched_at AS enrichedAt, t.fpid_score AS fpidScore, t.recording_mbid AS recordingMbid,
    t.track_gain_db AS trackGainDb, t.track_peak AS trackPeak, t.album_gain_db AS albumGainDb,
    t.album_peak AS albumPeak, t.has_lyrics AS hasLyrics, t.created_at AS createdAt, t.updated_at AS updatedAt,
    (c.key IS NOT NULL OR t.cover_url IS NOT NULL) AS hasCover, c.etag AS coverEtag,
    coalesce(l.liked, 0) AS liked, iif(l.liked, l.since, NULL) AS likedAt, coalesce(l.rating, 0) AS rating,
    coalesce(p.plays, 0) AS playCount, p.last_played_at AS lastPlayedAt
  FROM json_each(@ids) ids CROSS JOIN tracks t ON t.id = ids.value
  LEFT JOIN albums al ON al.id = t.album_id
  LEFT JOIN artists aa ON aa.id = al.artist_id
  LEFT JOIN album_covers c ON c.album_id = t.album_id
  LEFT JOIN like_states l ON l.user_id = @userId AND l.item_type = 'track' AND l.item_id = t.id
  LEFT JOIN play_counts p ON p.user_id = @userId AND p.item_type = 'track' AND p.item_id = t.id`;

// The lists within a track, each in one look for the whole page: as sub-selects of the above they take twice as long.
// In the order of their keys, so nothing is sorted.
const ARTISTS = `SELECT ta.track_id AS id, x.id AS artistId, x.name
  FROM json_each(@ids) ids CROSS JOIN track_artists ta ON ta.track_id = ids.value
  CROSS JOIN artists x ON x.id = ta.artist_id ORDER BY ids.key, ta.position`;
const GENRES = `SELECT tg.track_id AS id, g.name
  FROM json_each(@ids) ids CROSS JOIN track_genres tg ON tg.track_id = ids.value
  CROSS JOIN genres g ON g.id = tg.genre_id ORDER BY ids.key, tg.position`;

/** The tracks of these ids in their order, as often as they are there; an id that is gone is left out. */
export function readTracks(statements: Statements, userId: UserId, ids: readonly number[]): TrackSummary[] {
  const asked = { ids: JSON.stringify(ids) };
  const tracks = statements.rows<Raw>(SELECT, { ...asked, userId }).map((row) => ({
    ...row,
    artists: [] as TrackSummary['artists'],
    genres: [] as string[],
    hasCover: row.hasCover === 1,
    hasLyrics: row.hasLyrics === 1,
    liked: row.liked === 1,
    likedAt: toDate(row.likedAt),
    enrichedAt: toDate(row.enrichedAt),
    lastPlayedAt: toDate(row.lastPlayedAt),
    createdAt: new Date(row.createdAt),
    updatedAt: new Date(row.updatedAt),
  }));
  const byId = new Map<number, TrackSummary>(tracks.map((track) => [track.id, track]));
  const unique = { ids: JSON.stringify([...byId.keys()]) };
  for (const { id, artistId, name } of statements.rows<{ id: TrackId; artistId: ArtistId; name: string }>(
    ARTISTS,
    unique,
  ))
    byId.get(id)?.artists.push({ id: artistId, name });
  for (const { id, name } of statements.rows<{ id: TrackId; name: string }>(GENRES, unique))
    byId.get(id)?.genres.push(name);
  return ids.map((id) => byId.get(id)).filter((track) => track !== undefined);
}

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
