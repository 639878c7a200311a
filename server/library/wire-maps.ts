// Converts queries and bodies of the API to the library's types, and the library's types to the API's shapes.
import {
  fieldsFrom,
  LISTED_NUMBERS,
  LISTED_TEXTS,
  namedFieldsFrom,
  TRACK_FIELDS,
  type FieldChanges,
} from '../db/track-fields.ts';
import { toIso, toIsoOrNull } from '../http/times.ts';
import type { Contradiction } from './albums/album-contradictions.ts';
import type { AlbumFilter } from './lists/album-lists.ts';
import type { AlbumSummary } from './lists/album-rows.ts';
import type { ArtistFilter } from './lists/artist-lists.ts';
import type { ArtistSummary } from './lists/artist-rows.ts';
import type { ArtistChanges } from './edits/field-edits.ts';
import type { GenreSummary } from './lists/genres.ts';
import type { TrackLyrics } from './tracks/lyrics.ts';
import type { AlbumChanges, TypedMetadata } from './edits/replace-metadata.ts';
import { FIRST_FOLDER_ONLY } from '../storage/music-roots.ts';
import type { TagFilter } from './lists/tag-filters.ts';
import type { TrackListFilter, FieldFilters } from './lists/track-lists.ts';
import { gainOf, type TrackSummary } from './lists/track-rows.ts';
import type { Chapter } from './tracks/track-values.ts';
import type {
  AlbumOut,
  AlbumPatch,
  AlbumQuery,
  ArtistOut,
  ArtistPatch,
  ArtistQuery,
  ChaptersOut,
  ContradictionOut,
  GenreOut,
  LyricsOut,
  TrackFieldName,
  TrackOut,
  TrackPut,
  TrackQuery,
} from './wire.ts';

const toTagFilters = ({ mood, grouping, tag = [] }: Pick<TrackQuery, 'mood' | 'grouping' | 'tag'>): TagFilter[] => [
  ...(mood === undefined ? [] : [{ tag: 'mood', value: mood }]),
  ...(grouping === undefined ? [] : [{ tag: 'grouping', value: grouping }]),
  ...tag,
];

export const toTrackFilter = (q: TrackQuery): TrackListFilter => ({
  q: q.q,
  source: q.source,
  artistId: q.artist_id,
  albumId: q.album_id,
  artist: q.artist,
  album: q.album,
  creditId: q.credit_id,
  credit: q.credit,
  creditRole: q.credit_role,
  tags: toTagFilters(q),
  hasCover: q.has_cover,
  genre: q.genre,
  ...fieldFilters(q),
  format: q.format,
  metadataStatus: q.metadata_status,
  availability: q.availability,
  liked: q.liked,
  ratingFrom: q.rating_from,
  ratingTo: q.rating_to,
  folder:
    q.folder === undefined ? undefined : { path: q.folder === FIRST_FOLDER_ONLY ? '' : q.folder, isRecursive: q.below },
});

const fieldFilters = (q: TrackQuery): FieldFilters =>
  Object.fromEntries([
    ...LISTED_NUMBERS.flatMap((field) => [
      [`${field}From`, q[`${TRACK_FIELDS[field].name}_from`]] as const,
      [`${field}To`, q[`${TRACK_FIELDS[field].name}_to`]] as const,
    ]),
    ...LISTED_TEXTS.map((field) => [field, q[TRACK_FIELDS[field].name]] as const),
  ]) as FieldFilters;

export const toAlbumFilter = (q: AlbumQuery): AlbumFilter => ({
  q: q.q,
  genre: q.genre,
  yearFrom: q.year_from,
  yearTo: q.year_to,
  artistId: q.artist_id,
  artist: q.artist,
  creditId: q.credit_id,
  credit: q.credit,
  creditRole: q.credit_role,
  tags: toTagFilters(q),
  hasCover: q.has_cover,
  format: q.format,
  liked: q.liked,
  ratingFrom: q.rating_from,
  ratingTo: q.rating_to,
  unnamed: q.unnamed,
});

export const toArtistFilter = (q: ArtistQuery): ArtistFilter => ({
  q: q.q,
  genre: q.genre,
  yearFrom: q.year_from,
  yearTo: q.year_to,
  artistId: q.artist_id,
  liked: q.liked,
  ratingFrom: q.rating_from,
  ratingTo: q.rating_to,
});

export const toTypedMetadata = (p: TrackPut): TypedMetadata => ({
  title: p.title,
  artist: p.artist,
  artists: p.artists,
  album: p.album,
  albumArtist: p.album_artist,
  genre: p.genre,
  ...changesOf(p),
});

const changesOf = (p: TrackPut): FieldChanges => fieldsFrom((field) => p[TRACK_FIELDS[field].name]) as FieldChanges;

export const toAlbumChanges = (p: AlbumPatch): AlbumChanges => ({
  album: {
    ...(p.title !== undefined && { album: p.title }),
    ...(p.artists !== undefined && { albumArtists: p.artists }),
    year: p.year,
    originalYear: p.original_year,
    genres: p.genres,
    releaseTypes: p.release_types,
    edition: p.edition,
    label: p.label,
    catalogNumber: p.catalog_number,
    barcode: p.barcode,
    ...(p.is_compilation !== undefined && { compilation: p.is_compilation }),
    albumSort: p.sort_title,
  },
  tracks: new Map(
    p.tracks.map((track) => [
      track.id,
      {
        title: track.title,
        artist: track.artist,
        artists: track.artists,
        trackNumber: track.track_number,
        discNumber: track.disc_number,
      },
    ]),
  ),
});

export const toArtistChanges = (p: ArtistPatch): ArtistChanges => ({
  sortName: p.sort_name,
  neverSplit: p.never_split,
});

export const toTrackOut = (t: TrackSummary): TrackOut => ({
  id: t.id,
  title: t.title,
  artist_id: t.artistId,
  artist_name: t.artistName,
  artists: t.artists,
  album_id: t.albumId,
  album_title: t.albumTitle,
  album_artist_name: t.albumArtistName,
  genre: t.genre,
  genres: t.genres,
  tags: t.tags,
  ...(namedFieldsFrom((field) => t[field]) as Pick<TrackOut, TrackFieldName>),
  duration_ms: t.durationMs,
  size_bytes: t.sizeBytes,
  format: t.format,
  bitrate_kbps: t.bitrateKbps,
  sample_rate_hz: t.sampleRateHz,
  bit_depth: t.bitDepth,
  channels: t.channels,
  source: t.source,
  source_id: t.sourceId,
  storage_uri: t.storageUri,
  uploaded_by: t.uploadedBy,
  availability: t.availability,
  metadata_status: t.metadataStatus,
  metadata_error: t.metadataError,
  enriched_at: toIsoOrNull(t.enrichedAt),
  fpid_score: t.fpidScore,
  recording_mbid: t.recordingMbid,
  replay_gain: toReplayGain(t),
  has_cover: t.hasCover,
  has_lyrics: t.hasLyrics,
  has_chapters: t.hasChapters,
  liked: t.liked,
  rating: t.rating,
  play_count: t.playCount,
  last_played_at: toIsoOrNull(t.lastPlayedAt),
  created_at: toIso(t.createdAt),
  updated_at: toIso(t.updatedAt),
});

function toReplayGain(t: TrackSummary): TrackOut['replay_gain'] {
  const gain = gainOf(t);
  return (
    gain && {
      track_gain_db: gain.trackGainDb,
      track_peak: gain.trackPeak,
      album_gain_db: gain.albumGainDb,
      album_peak: gain.albumPeak,
      is_measured: gain.isMeasured,
    }
  );
}

export const toAlbumOut = (a: AlbumSummary): AlbumOut => ({
  id: a.id,
  title: a.title,
  artist_id: a.artistId,
  artist_name: a.artistName,
  artists: a.artists,
  year: a.year,
  genre: a.genre,
  is_compilation: a.isCompilation,
  track_count: a.trackCount,
  disc_count: a.discCount,
  duration_ms: a.durationMs,
  size_bytes: a.sizeBytes,
  has_cover: a.hasCover,
  source: a.source,
  source_id: a.sourceId,
  disc_titles: a.discTitles,
  release_group_mbid: a.releaseGroupMbid,
  release_mbid: a.releaseMbid,
  release_types: a.releaseTypes,
  edition: a.edition,
  original_year: a.originalYear,
  labels: a.labels,
  sort_title: a.moreTags[0]?.tags.albumSort ?? null,
  uploaded_by: a.uploadedBy,
  play_count: a.playCount,
  liked: a.liked,
  rating: a.rating,
  created_at: toIso(a.createdAt),
  updated_at: toIso(a.updatedAt),
});

export const toArtistOut = (a: ArtistSummary): ArtistOut => ({
  id: a.id,
  name: a.name,
  sort_name: a.sortName,
  album_count: a.albumCount,
  track_count: a.trackCount,
  has_cover: a.hasCover,
  source: a.source,
  source_id: a.sourceId,
  artist_mbid: a.artistMbid,
  never_split: a.neverSplit,
  liked: a.liked,
  rating: a.rating,
  created_at: toIso(a.createdAt),
});

export const toGenreOut = (g: GenreSummary): GenreOut => ({
  name: g.name,
  track_count: g.trackCount,
  album_count: g.albumCount,
});

export const toChaptersOut = (chapters: readonly Chapter[], positionMs: number | null): ChaptersOut => ({
  items: chapters.map(({ startMs, title }) => ({ start_ms: startMs, title })),
  position_ms: positionMs,
});

export const toLyricsOut = ({ synced, lines, source, lrclibId, isInstrumental }: TrackLyrics): LyricsOut => ({
  synced,
  lines: lines.map(({ startMs, text, words, isBackground }) => ({
    ...(startMs !== undefined && { start_ms: startMs }),
    text,
    ...(words && { words: words.map((word) => ({ start_ms: word.startMs, text: word.text })) }),
    ...(isBackground && { background: true }),
  })),
  source,
  lrclib_id: lrclibId,
  is_instrumental: isInstrumental,
});

export const toContradictionOut = ({ id, sourceId, ...otherFields }: Contradiction): ContradictionOut => ({
  track_id: id,
  source_id: sourceId,
  ...otherFields,
});
