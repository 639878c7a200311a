// Reads the track rows for the ids of a page, with everything that TrackOut shows. page-ids.ts finds the ids.
import type { ArtistId, TrackId, UserId } from '../../db/ids.ts';
import type { RowAs } from '../../db/rows.ts';
import type { Availability, TrackRow, tracks } from '../../db/schema.ts';
import type { MoreTags } from '../../db/more-tags.ts';
import { fieldColumns, type FieldValues } from '../../db/track-fields.ts';
import { readAlbumArtists } from './album-artist-rows.ts';
import { averageRating } from './filters.ts';
import type { Statements } from './statement-cache.ts';
import { inNamedAlbum } from '../../db/unknown-names.ts';
import { TYPED_RELEASE } from '../tracks/track-values.ts';

/** Columns that TrackOut shows, besides the fields of db/track-fields.ts. */
type Column =
  | 'id'
  | 'title'
  | 'artistId'
  | 'artistName'
  | 'albumId'
  | 'genre'
  | 'durationMs'
  | 'sizeBytes'
  | 'format'
  | 'bitrateKbps'
  | 'sampleRateHz'
  | 'bitDepth'
  | 'channels'
  | 'source'
  | 'sourceId'
  | 'storageUri'
  | 'uploadedBy'
  | 'availability'
  | 'metadataStatus'
  | 'metadataError'
  | 'enrichedAt'
  | 'fpidScore'
  | 'recordingMbid'
  | 'trackGainDb'
  | 'trackPeak'
  | 'albumGainDb'
  | 'albumPeak'
  | 'measuredGainDb'
  | 'measuredPeak'
  | 'measuredAlbumGainDb'
  | 'measuredAlbumPeak'
  | 'hasLyrics'
  | 'createdAt'
  | 'updatedAt';

interface JoinedColumns {
  /** Null if the album has no name; `albumArtistName` likewise. */
  albumTitle: string | null;
  albumArtistId: ArtistId | null;
  albumArtistName: string | null;
  /** ETag of the album's current cover. */
  coverEtag: string | null;
  /** 0 to 5; 0 means unrated. */
  rating: number;
  /** The mean rating of all users; null without a rating. */
  averageRating: number | null;
  playCount: number;
  /** Position at which the user stopped, in milliseconds. */
  bookmarkMs: number | null;
}

/** A track with its names, and with the likes, rating and plays of the requesting user. */
export interface TrackSummary extends Omit<Pick<TrackRow, Column>, 'availability'>, FieldValues, JoinedColumns {
  /** `offline` means that the file is in a music folder that cannot be reached. */
  availability: Availability | 'offline';
  artists: { id: ArtistId; name: string }[];
  /** The artists under which the album is filed. */
  albumArtists: { id: ArtistId; name: string }[];
  genres: string[];
  /** Values of moods, groupings and custom tags by the names of the tags. */
  tags: Record<string, string[]>;
  hasCover: boolean;
  hasChapters: boolean;
  /** JSON of MoreTags, to be parsed where it is shown. */
  moreTags: string | null;
  liked: boolean;
  likedAt: Date | null;
  lastPlayedAt: Date | null;
}

interface RawTrackRow extends RowAs<typeof tracks, Column>, FieldValues, JoinedColumns {
  hasCover: number;
  hasChapters: number;
  moreTags: string | null;
  liked: number;
  likedAt: number | null;
  lastPlayedAt: number | null;
}

const isReplaced = (field: string): string => `t.provenance ->> '${field}' IN ('manual', 'fpid')`;

/**
 * Returns SQL for a track's other tags, without the sort name of a field that does not come from the file, unless a
 * person set the sort name too.
 */
export const moreTagsFor = (field: string, sort: keyof MoreTags): string =>
  `iif(${isReplaced(field)} AND t.provenance ->> '${sort}' IS NOT 'manual', json_remove(m.tags, '$.${sort}'), m.tags)`;

/**
 * SQL that is 1 if the album of track `t` is the release that its file names, and not a release that was looked up or
 * typed.
 */
export const IS_RELEASE_OF_FILE = `(coalesce(t.provenance ->> 'album', '') <> 'fpid'
  AND t.provenance ->> '${TYPED_RELEASE}' IS NULL)`;

/** SQL for whether the edition of track `t` counts: it is the one of the album's release, or a person set it. */
export const HAS_OWN_EDITION = `(${IS_RELEASE_OF_FILE} OR t.provenance ->> 'edition' = 'manual')`;

// CROSS JOIN makes the ids the outer loop. No ORDER BY: sorting such wide rows takes as long as reading them.
const SELECT = `SELECT t.id, t.title, t.artist_id AS artistId, t.artist_name AS artistName, t.album_id AS albumId,
    iif(${inNamedAlbum('t')}, al.title, NULL) AS albumTitle, al.artist_id AS albumArtistId,
    iif(${inNamedAlbum('t')}, aa.name, NULL) AS albumArtistName, t.genre,
    ${fieldColumns('t')}, t.duration_ms AS durationMs,
    t.size_bytes AS sizeBytes, t.format, t.bitrate_kbps AS bitrateKbps, t.sample_rate_hz AS sampleRateHz,
    t.bit_depth AS bitDepth, t.channels, t.source, t.source_id AS sourceId, t.storage_uri AS storageUri,
    t.uploaded_by AS uploadedBy,
    t.availability, t.metadata_status AS metadataStatus, t.metadata_error AS metadataError,
    t.enriched_at AS enrichedAt, t.fpid_score AS fpidScore, t.recording_mbid AS recordingMbid,
    t.track_gain_db AS trackGainDb, t.track_peak AS trackPeak, t.album_gain_db AS albumGainDb,
    t.album_peak AS albumPeak, t.measured_gain_db AS measuredGainDb, t.measured_peak AS measuredPeak,
    t.measured_album_gain_db AS measuredAlbumGainDb, t.measured_album_peak AS measuredAlbumPeak,
    t.has_lyrics AS hasLyrics,
    (ch.track_id IS NOT NULL) AS hasChapters, ${moreTagsFor('title', 'titleSort')} AS moreTags,
    t.created_at AS createdAt, t.updated_at AS updatedAt,
    (c.key IS NOT NULL OR t.cover_url IS NOT NULL OR (t.album_sort = '' AND t.has_picture = 1)) AS hasCover,
    c.etag AS coverEtag,
    coalesce(l.liked, 0) AS liked, iif(l.liked, l.since, NULL) AS likedAt, coalesce(l.rating, 0) AS rating,
    ${averageRating('track', 't.id')} AS averageRating,
    coalesce(p.plays, 0) AS playCount, nullif(p.last_played_at, 0) AS lastPlayedAt, b.position_ms AS bookmarkMs
  FROM json_each(@ids) ids CROSS JOIN tracks t ON t.id = ids.value
  LEFT JOIN albums al ON al.id = t.album_id
  LEFT JOIN artists aa ON aa.id = al.artist_id
  LEFT JOIN album_covers c ON c.album_id = t.album_id
  LEFT JOIN chapters ch ON ch.track_id = t.id
  LEFT JOIN more_tags m ON m.track_id = t.id
  LEFT JOIN like_states l ON l.user_id = +@userId AND l.item_type = 'track' AND l.item_id = t.id
  LEFT JOIN play_counts p ON p.user_id = +@userId AND p.item_type = 'track' AND p.item_id = t.id
  LEFT JOIN bookmarks b ON b.user_id = +@userId AND b.track_id = t.id`;

// Reads lists within a track, such as its artists, in one query each per page: as subqueries of SELECT they take twice
// as long. Ordered by the key of the index, so SQLite does not sort.
const CREDITED_ARTISTS = `SELECT ta.track_id AS id, x.id AS artistId, x.name
  FROM json_each(@ids) ids CROSS JOIN track_artists ta ON ta.track_id = ids.value
  CROSS JOIN artists x ON x.id = ta.artist_id ORDER BY ids.key, ta.position`;
const GENRES = `SELECT tg.track_id AS id, g.name
  FROM json_each(@ids) ids CROSS JOIN track_genres tg ON tg.track_id = ids.value
  CROSS JOIN genres g ON g.id = tg.genre_id ORDER BY ids.key, tg.position`;

const TAGS = `SELECT tt.track_id AS id, tt.tag, tt.value
  FROM json_each(@ids) ids CROSS JOIN track_tags tt ON tt.track_id = ids.value ORDER BY ids.key, tt.position`;

/** Returns tracks in the order of the ids. Repeated ids are repeated, unknown ones skipped. */
export function readTracks(statements: Statements, userId: UserId, ids: readonly number[]): TrackSummary[] {
  const requestedIds = { ids: JSON.stringify(ids) };
  const items = statements.rows<RawTrackRow>(SELECT, { ...requestedIds, userId }).map((row) => ({
    ...row,
    artists: [] as TrackSummary['artists'],
    albumArtists:
      row.albumArtistId === null || row.albumArtistName === null
        ? []
        : [{ id: row.albumArtistId, name: row.albumArtistName }],
    genres: [] as string[],
    tags: {} as TrackSummary['tags'],
    hasCover: row.hasCover === 1,
    hasLyrics: row.hasLyrics === 1,
    hasChapters: row.hasChapters === 1,
    liked: row.liked === 1,
    likedAt: toDate(row.likedAt),
    enrichedAt: toDate(row.enrichedAt),
    lastPlayedAt: toDate(row.lastPlayedAt),
    createdAt: new Date(row.createdAt),
    updatedAt: new Date(row.updatedAt),
  }));
  const byId = new Map<number, TrackSummary>(items.map((track) => [track.id, track]));
  const uniqueIds = { ids: JSON.stringify([...byId.keys()]) };
  for (const { id, artistId, name } of statements.rows<{ id: TrackId; artistId: ArtistId; name: string }>(
    CREDITED_ARTISTS,
    uniqueIds,
  ))
    byId.get(id)?.artists.push({ id: artistId, name });
  const albumIds = [...new Set(items.flatMap(({ albumId }) => albumId ?? []))];
  const artistsByAlbum = readAlbumArtists(statements, albumIds);
  for (const track of artistsByAlbum.size === 0 ? [] : byId.values()) {
    const artists = track.albumId === null ? undefined : artistsByAlbum.get(track.albumId);
    if (!artists || track.albumTitle === null) continue;
    track.albumArtists.push(...artists.filter(({ id }) => id !== track.albumArtistId));
    track.albumArtistName = track.albumArtists.map(({ name }) => name).join(', ');
  }
  for (const { id, name } of statements.rows<{ id: TrackId; name: string }>(GENRES, uniqueIds))
    byId.get(id)?.genres.push(name);
  for (const { id, tag, value } of statements.rows<{ id: TrackId; tag: string; value: string }>(TAGS, uniqueIds)) {
    const track = byId.get(id);
    if (track) (track.tags[tag] ??= []).push(value);
  }
  return ids.map((id) => byId.get(id)).filter((track) => track !== undefined);
}

interface Gain extends Pick<TrackRow, 'trackGainDb' | 'trackPeak' | 'albumGainDb' | 'albumPeak'> {
  isMeasured: boolean;
}

/**
 * Returns ReplayGain from the tags, or else as measured. The two are never mixed, since tags may have another reference
 * level.
 */
export function gainOf(t: TrackSummary): Gain | null {
  const { trackGainDb, trackPeak, albumGainDb, albumPeak } = t;
  if (trackGainDb !== null || albumGainDb !== null)
    return { trackGainDb, trackPeak, albumGainDb, albumPeak, isMeasured: false };
  if (t.measuredGainDb === null)
    return trackPeak === null && albumPeak === null
      ? null
      : { trackGainDb, trackPeak, albumGainDb, albumPeak, isMeasured: false };
  return {
    trackGainDb: t.measuredGainDb,
    trackPeak: t.measuredPeak,
    // only a track of an album with a name has an album gain
    albumGainDb: t.albumTitle === null ? null : t.measuredAlbumGainDb,
    albumPeak: t.albumTitle === null ? null : t.measuredAlbumPeak,
    isMeasured: true,
  };
}

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
