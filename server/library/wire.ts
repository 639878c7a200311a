// Zod schemas of the library's API.
import { z } from 'zod';
import { event } from '../events/event.ts';
import { AlbumIdIn, ArtistIdIn, PersonIdIn, TrackIdIn } from '../db/ids.ts';
import {
  LISTED_NAMES,
  LISTED_NUMBERS,
  LISTED_TEXTS,
  namedFieldsFrom,
  TRACK_FIELDS,
  type FieldKind,
  type FieldName,
  type FieldValue,
  type ListedNumber,
  type ListedText,
  type TrackField,
} from '../db/track-fields.ts';
import { pageQuery, pagedOf, queryBool, queryInt } from '../http/paging.ts';
import { isoTime } from '../http/times.ts';
import { FORMATS } from '../media/audio-formats.ts';
import { CreditRoleOut } from './credits/credit-wire.ts';
import { RELEASE_FIELDS } from './albums/album-contradictions.ts';
import { MAX_TAG_FILTERS, TagValueIn } from './tags/tag-wire.ts';
import { NO_FORMAT } from './lists/filters.ts';
import { folderPath } from './folders/folder-wire.ts';

export const AvailabilityOut = z.enum(['available', 'remote', 'fetching', 'missing']);
/** `offline` means that the file is in a music folder that cannot be reached. */
export const ShownAvailabilityOut = z.enum([...AvailabilityOut.options, 'offline']);
const MetadataStatusOut = z.enum(['pending', 'enriched', 'failed', 'manual']);

const ReplayGainOut = z.object({
  track_gain_db: z.number().nullable(),
  track_peak: z.number().nullable(),
  album_gain_db: z.number().nullable(),
  album_peak: z.number().nullable(),
  is_measured: z.boolean().meta({ description: 'the tags have none: measured as in EBU R 128' }),
});

/** Schemas of a track's fields, as sent and as accepted. */
const OUT: Record<FieldKind, z.ZodType> = {
  year: z.int(),
  position: z.int(),
  tempo: z.number(),
  level: z.int(),
  text: z.string(),
  note: z.string(),
};
const WHOLE_IN = z.int().min(0).max(9999);
const IN: Record<FieldKind, z.ZodType> = {
  year: WHOLE_IN,
  position: WHOLE_IN,
  tempo: z.number().min(1).max(999),
  level: z.int().min(1).max(10),
  text: z.string().trim().min(1).max(1000),
  note: z.string().trim().min(1).max(2000),
};

type FieldShapesOut = { [F in TrackField as FieldName<F>]: z.ZodType<FieldValue<F> | null> };
type FieldShapesIn = {
  [F in TrackField as FieldName<F>]: z.ZodOptional<z.ZodType<FieldValue<F> | null>>;
};
const namedFields = <Shapes>(shapeOf: (kind: FieldKind) => z.ZodType): Shapes =>
  namedFieldsFrom((field) => shapeOf(TRACK_FIELDS[field].kind)) as Shapes;

export const TrackOut = z
  .object({
    id: z.int(),
    title: z.string(),
    artist_id: z.int().nullable(),
    artist_name: z.string().nullable().meta({ description: 'the credit as written, e.g. "A feat. B"' }),
    artists: z.array(z.object({ id: z.int(), name: z.string() })),
    album_id: z.int().nullable(),
    album_title: z.string().nullable(),
    album_artist_name: z.string().nullable(),
    genre: z.string().nullable(),
    genres: z.array(z.string()),
    tags: z.record(z.string(), z.array(z.string())).meta({
      description: 'values of `mood`, `grouping` and custom tags as the file has them; empty without any',
    }),
    ...namedFields<FieldShapesOut>((kind) => OUT[kind].nullable()),
    duration_ms: z.int().nullable(),
    size_bytes: z.int().nullable(),
    format: z.string().nullable().meta({ description: 'mp3, flac, ogg, opus, m4a, wav, aiff, …' }),
    bitrate_kbps: z.int().nullable(),
    sample_rate_hz: z.int().nullable(),
    bit_depth: z.int().nullable(),
    channels: z.int().nullable(),
    source: z.string(),
    source_id: z.string(),
    storage_uri: z.string().nullable(),
    uploaded_by: z.int().nullable().meta({ description: 'the account that brought it in, where that is known' }),
    availability: ShownAvailabilityOut,
    metadata_status: MetadataStatusOut,
    metadata_error: z.string().nullable(),
    enriched_at: isoTime.nullable(),
    fpid_score: z.number().nullable(),
    recording_mbid: z.string().nullable(),
    replay_gain: ReplayGainOut.nullable(),
    has_cover: z.boolean(),
    has_lyrics: z.boolean(),
    has_chapters: z.boolean().meta({ description: 'it is an audiobook with chapters' }),
    liked: z.boolean(),
    rating: z.number().meta({ description: 'your rating, 0 to 5 in halves; 0 is no rating' }),
    play_count: z.int(),
    last_played_at: isoTime.nullable(),
    created_at: isoTime,
    updated_at: isoTime,
  })
  .meta({ id: 'TrackOut' });
export type TrackOut = z.output<typeof TrackOut>;
/** API names of the single-valued fields. */
export type TrackFieldName = FieldName;

export const libraryEvent = event(
  'library',
  z.object({ version: z.int(), tracks: z.int(), albums: z.int(), artists: z.int() }),
  'The library changed and lists have to be reloaded; `version` increases.',
);
export type LibraryState = z.output<(typeof libraryEvent)['data']>;

export const AlbumOut = z
  .object({
    id: z.int(),
    title: z.string(),
    artist_id: z.int().nullable(),
    artist_name: z.string().nullable().meta({ description: 'several artists with commas' }),
    artists: z
      .array(z.object({ id: z.int(), name: z.string() }))
      .meta({ description: 'all artists under which it is filed, `artist_id` first' }),
    year: z.int().nullable(),
    genre: z.string().nullable(),
    is_compilation: z.boolean(),
    track_count: z.int(),
    disc_count: z.int(),
    duration_ms: z.int(),
    size_bytes: z.int(),
    has_cover: z.boolean(),
    source: z.string().nullable().meta({ description: 'streamsrc when a track of it was saved from the catalogue' }),
    source_id: z.string().nullable().meta({ description: 'the id in the catalogue, where that has one' }),
    disc_titles: z.array(z.object({ disc: z.int(), title: z.string() })),
    release_group_mbid: z.string().nullable(),
    release_mbid: z.string().nullable().meta({ description: 'As the files have it' }),
    release_types: z.array(z.string()).meta({
      description: 'As the files have them, such as `album` and `live`, the primary type first',
    }),
    edition: z.string().nullable().meta({ description: 'Such as `Deluxe`, as the files have it' }),
    original_year: z.int().nullable().meta({ description: 'the year of the first release' }),
    labels: z.array(z.string()),
    sort_title: z.string().nullable().meta({ description: 'how the title is filed, as the files have it' }),
    uploaded_by: z.int().nullable().meta({ description: 'the account that brought in all of its tracks' }),
    play_count: z.int().meta({ description: 'your plays of its tracks' }),
    liked: z.boolean(),
    rating: z.number().meta({ description: 'your rating, 0 to 5 in halves; 0 is no rating' }),
    created_at: isoTime,
    updated_at: isoTime,
  })
  .meta({ id: 'AlbumOut' });
export type AlbumOut = z.output<typeof AlbumOut>;

export const ArtistOut = z
  .object({
    id: z.int(),
    name: z.string(),
    sort_name: z.string(),
    album_count: z.int(),
    track_count: z.int(),
    has_cover: z.boolean(),
    source: z.string().nullable().meta({ description: 'streamsrc when a track of it was saved from the catalogue' }),
    source_id: z.string().nullable().meta({ description: 'the id in the catalogue, where that has one' }),
    artist_mbid: z.string().nullable(),
    never_split: z.boolean().meta({ description: 'the name is one artist even if it contains a separator' }),
    liked: z.boolean(),
    rating: z.number().meta({ description: 'your rating, 0 to 5 in halves; 0 is no rating' }),
    created_at: isoTime,
  })
  .meta({ id: 'ArtistOut' });
export type ArtistOut = z.output<typeof ArtistOut>;

export const GenreOut = z
  .object({ name: z.string(), track_count: z.int(), album_count: z.int() })
  .meta({ id: 'GenreOut' });
export type GenreOut = z.output<typeof GenreOut>;
export const GenreList = z.array(GenreOut);

export const TrackPage = pagedOf(TrackOut).meta({ id: 'PagedTracks' });
export const AlbumPage = pagedOf(AlbumOut).meta({ id: 'PagedAlbums' });
export const ArtistPage = pagedOf(ArtistOut).meta({ id: 'PagedArtists' });
export type TrackPage = z.output<typeof TrackPage>;
export type AlbumPage = z.output<typeof AlbumPage>;
export type ArtistPage = z.output<typeof ArtistPage>;

export const TRACK_SORTS = [
  'title',
  'artist',
  'album',
  ...LISTED_NAMES,
  'created_at',
  'duration',
  'play_count',
  'last_played_at',
  'rating',
  'path',
  'random',
] as const;
export const ALBUM_SORTS = [
  'title',
  'artist',
  'year',
  'created_at',
  'play_count',
  'last_played_at',
  'rating',
  'random',
] as const;
export const ARTIST_SORTS = [
  'name',
  'artist',
  'year',
  'created_at',
  'play_count',
  'last_played_at',
  'rating',
  'random',
] as const;
export type TrackSort = (typeof TRACK_SORTS)[number];
export type AlbumSort = (typeof ALBUM_SORTS)[number];
export type ArtistSort = (typeof ARTIST_SORTS)[number];

const text = z.string().max(500);
const year = queryInt.pipe(z.int().min(0).max(9999));
const order = z
  .enum(['asc', 'desc'])
  .optional()
  .meta({ description: 'default: asc for names, desc for years, times and counts' });
const seed = queryInt.optional().meta({ description: 'fixes the order of sort=random across pages' });

type FieldFilters = {
  [F in ListedNumber as `${FieldName<F>}_from` | `${FieldName<F>}_to`]: z.ZodOptional<typeof year>;
} & { [F in ListedText as FieldName<F>]: z.ZodOptional<typeof text> };
const FIELD_FILTERS = Object.fromEntries([
  ...LISTED_NUMBERS.flatMap((field) =>
    (['from', 'to'] as const).map((end) => [`${TRACK_FIELDS[field].name}_${end}`, year.optional()] as const),
  ),
  ...LISTED_TEXTS.map((field) => {
    const { name } = TRACK_FIELDS[field];
    return [name, text.optional().meta({ description: `a part of the ${name}` })] as const;
  }),
]) as FieldFilters;

const rating = z.coerce.number().min(0).max(5).multipleOf(0.5, 'must be a whole or a half number');
const RATING_FILTERS = {
  rating_from: rating.optional().meta({ description: 'your rating, 0 to 5 in halves' }),
  rating_to: rating.optional().meta({ description: 'no rating counts as 0' }),
};

const CREDIT_FILTERS = {
  credit_id: queryInt.pipe(PersonIdIn).optional().meta({ description: 'a person of `/people`' }),
  credit: text.optional().meta({ description: 'the whole name of a composer, producer or other person, in any case' }),
  credit_role: CreditRoleOut.optional().meta({ description: 'what the person did; absent: anything' }),
};

const TAG_FILTERS = {
  mood: text.optional().meta({ description: 'a mood in the tags, whole, in any case' }),
  grouping: text.optional().meta({ description: 'a grouping in the tags, likewise' }),
  tag: z
    .union([TagValueIn.transform((tag) => [tag]), z.array(TagValueIn).max(MAX_TAG_FILTERS)])
    .optional()
    .meta({ description: 'a tag of `/tags` and its value, such as `OCCASION:Party`; repeat it for several values' }),
};

const source = z.enum(['upload', 'local_folder', 'streamsrc']);
const format = z
  .string()
  .toLowerCase()
  .pipe(z.enum([...FORMATS.map(([name]) => name), NO_FORMAT]));

/** Query of `GET /tracks`; the track lists of albums and artists extend it. */
export const TrackQuery = z.object({
  q: text.optional().meta({ description: 'words to find in title, artist or album' }),
  source: source.optional(),
  artist_id: queryInt.pipe(ArtistIdIn).optional(),
  album_id: queryInt.pipe(AlbumIdIn).optional(),
  artist: text.optional().meta({ description: 'the whole name of an artist, in any case' }),
  album: text.optional().meta({ description: 'the whole title of an album, in any case' }),
  ...CREDIT_FILTERS,
  ...TAG_FILTERS,
  has_cover: queryBool.optional(),
  genre: text.optional(),
  ...FIELD_FILTERS,
  format: format.optional().meta({ description: 'unknown: without audio' }),
  metadata_status: MetadataStatusOut.optional(),
  availability: AvailabilityOut.optional(),
  liked: queryBool.optional(),
  ...RATING_FILTERS,
  folder: folderPath.optional().meta({ description: 'a folder on disk, as in `/folders`' }),
  below: queryBool.default(true).meta({ description: 'of `folder`: also what is in the folders in it' }),
  sort: z.enum(TRACK_SORTS).default('title'),
  order,
  seed,
  ...pageQuery,
});
export type TrackQuery = z.output<typeof TrackQuery>;

export const AlbumQuery = z.object({
  q: text.optional(),
  genre: text.optional(),
  year_from: year.optional(),
  year_to: year.optional(),
  artist_id: queryInt.pipe(ArtistIdIn).optional(),
  artist: text.optional().meta({ description: 'the whole name of the album artist, in any case' }),
  ...CREDIT_FILTERS,
  ...TAG_FILTERS,
  has_cover: queryBool.optional(),
  format: format.optional().meta({ description: 'albums with a track in this format; unknown: without audio' }),
  liked: queryBool.optional(),
  ...RATING_FILTERS,
  unnamed: queryBool.optional().meta({ description: 'true: only `[Unknown Album]`s; false: only others' }),
  sort: z.enum(ALBUM_SORTS).default('title'),
  order,
  seed,
  ...pageQuery,
});
export type AlbumQuery = z.output<typeof AlbumQuery>;

export const ArtistQuery = z.object({
  q: text.optional(),
  genre: text.optional(),
  year_from: year.optional(),
  year_to: year.optional(),
  artist_id: queryInt.pipe(ArtistIdIn).optional(),
  liked: queryBool.optional(),
  ...RATING_FILTERS,
  sort: z.enum(ARTIST_SORTS).default('name'),
  order,
  seed,
  ...pageQuery,
});
export type ArtistQuery = z.output<typeof ArtistQuery>;

export const ContradictionOut = z
  .object({
    track_id: z.int(),
    title: z.string(),
    source_id: z.string(),
    field: z.enum(RELEASE_FIELDS),
    value: z.union([z.string(), z.int()]),
    usual: z.union([z.string(), z.int()]).meta({ description: 'what most files of the album say' }),
  })
  .meta({ id: 'ContradictionOut' });
export type ContradictionOut = z.output<typeof ContradictionOut>;

/**
 * Track lists with other default orders: an album's tracks by disc and number, an artist's tracks by album, an artist's
 * albums by year.
 */
export const AlbumTrackQuery = TrackQuery.extend({
  sort: z.enum(TRACK_SORTS).default('album'),
  best_only: queryBool.optional().meta({
    description:
      'of a recording that the album has several files of only the best one; `/tracks/{id}/versions` has the others',
  }),
});
export const ArtistTrackQuery = TrackQuery.extend({ sort: z.enum(TRACK_SORTS).default('album') });
export const ArtistAlbumQuery = AlbumQuery.extend({ sort: z.enum(ALBUM_SORTS).default('year') });

const name = z.string().trim().min(1).max(1000);

const FIELD_CHANGES = namedFields<FieldShapesIn>((kind) => IN[kind].nullable().optional());

/** Id of a batch of edits, chosen by the client. */
export const Batch = z.string().regex(/^[\w-]{1,64}$/, 'may contain only letters, digits, _ and -, at most 64');
export const EditQuery = z.object({
  batch: Batch.optional().meta({ description: 'the same for edits that are made together, to undo them together' }),
});

const EDITED_FIELDS = {
  title: name.optional(),
  artist: name.nullable().optional().meta({ description: 'the credit as displayed, e.g. "A feat. B"' }),
  artists: z
    .array(name)
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'the artists it names; without them the credit is one artist' }),
  album: name.nullable().optional(),
  album_artist: name.nullable().optional(),
  genre: name.nullable().optional(),
  ...FIELD_CHANGES,
};

/** Body of `PATCH /tracks/{id}`. Absent fields are kept, null clears. */
export const TrackPatch = z.strictObject(EDITED_FIELDS).meta({ id: 'TrackPatch' });
/** Body of `PUT /tracks/{id}/metadata`. Absent fields are kept, null clears. */
export const TrackPut = z.strictObject(EDITED_FIELDS).meta({ id: 'TrackPut' });
export type TrackPatch = z.output<typeof TrackPatch>;
export type TrackPut = z.output<typeof TrackPut>;

const TrackInAlbumPatch = z.strictObject({
  id: TrackIdIn,
  title: EDITED_FIELDS.title,
  artist: EDITED_FIELDS.artist,
  artists: EDITED_FIELDS.artists,
  track_number: FIELD_CHANGES.track_number,
  disc_number: FIELD_CHANGES.disc_number,
});

/** Body of `PATCH /albums/{id}`. Absent fields are kept, null and empty lists clear. */
export const AlbumPatch = z
  .strictObject({
    title: name.optional(),
    artists: z.array(name).max(100).optional().meta({ description: 'the album artists, in their order' }),
    year: FIELD_CHANGES.year,
    original_year: FIELD_CHANGES.original_year,
    genres: z.array(name).max(100).optional(),
    release_types: z
      .array(z.string().trim().toLowerCase().min(1).max(50))
      .max(20)
      .optional()
      .meta({ description: "MusicBrainz's words, such as `album` and `live`, the primary type first" }),
    edition: name.nullable().optional(),
    label: FIELD_CHANGES.label,
    catalog_number: FIELD_CHANGES.catalog_number,
    barcode: FIELD_CHANGES.barcode,
    is_compilation: z.boolean().optional(),
    sort_title: name.nullable().optional().meta({ description: 'how the title is filed, sent to other apps' }),
    tracks: z
      .array(TrackInAlbumPatch)
      .max(1_000)
      .default([])
      .meta({ description: 'values of single tracks; tracks that are absent keep theirs' }),
  })
  .meta({ id: 'AlbumPatch' });
export type AlbumPatch = z.output<typeof AlbumPatch>;

export const LyricsOut = z
  .object({
    synced: z.boolean().meta({ description: 'every line has a time' }),
    lines: z.array(
      z.object({
        start_ms: z.int().optional(),
        text: z.string(),
        words: z
          .array(z.object({ start_ms: z.int(), text: z.string() }))
          .optional()
          .meta({ description: 'words with times of their own; together they are the text' }),
        background: z.boolean().optional().meta({ description: 'a second voice, sung to the line before' }),
      }),
    ),
    source: z
      .enum(['file', 'lrclib', 'manual'])
      .meta({ description: 'from the file or one next to it, looked up, or written or picked by a person' }),
    lrclib_id: z.int().nullable(),
    is_instrumental: z.boolean(),
  })
  .meta({ id: 'LyricsOut' });
export type LyricsOut = z.output<typeof LyricsOut>;

export const ChaptersOut = z
  .object({
    items: z.array(z.object({ start_ms: z.int(), title: z.string() })).meta({ description: 'in the order of time' }),
    position_ms: z.int().nullable().meta({ description: 'your bookmark in the track, where playback goes on' }),
  })
  .meta({ id: 'ChaptersOut' });
export type ChaptersOut = z.output<typeof ChaptersOut>;

/** Body of `PATCH /artists/{id}`. */
export const ArtistPatch = z
  .strictObject({ sort_name: name.optional(), never_split: z.boolean().optional() })
  .meta({ id: 'ArtistPatch' });
export type ArtistPatch = z.output<typeof ArtistPatch>;

export const TrashedTrackOut = z
  .object({
    id: z.int().meta({ description: 'of the track, before and after' }),
    title: z.string(),
    artist_name: z.string().nullable(),
    album_title: z.string().nullable(),
    source: z.string(),
    size_bytes: z.int().nullable(),
    deleted_at: isoTime,
    deleted_by_id: z.int().nullable(),
    deleted_by_name: z.string().nullable(),
    expires_at: isoTime.meta({ description: 'when it is gone for good' }),
    may_delete: z.boolean().meta({ description: 'whether you may delete it for good before' }),
  })
  .meta({ id: 'TrashedTrackOut' });
export type TrashedTrackOut = z.output<typeof TrashedTrackOut>;
export const TrashPage = pagedOf(TrashedTrackOut)
  .extend({ size_bytes: z.int().meta({ description: 'of all, not only of this page' }) })
  .meta({ id: 'PagedTrashedTracks' });
export type TrashPage = z.output<typeof TrashPage>;

export const RestoredOut = z
  .object({
    restored: z.int(),
    failed: z
      .array(z.object({ id: z.int(), detail: z.string() }))
      .meta({ description: 'the first hundred that could not be restored' }),
  })
  .meta({ id: 'RestoredTracks' });
export type RestoredOut = z.output<typeof RestoredOut>;
export const DeletedOut = z.object({ deleted: z.int() }).meta({ id: 'DeletedTracks' });
export type DeletedOut = z.output<typeof DeletedOut>;

export const MergeReasonOut = z.enum(['duplicate', 'chosen', 'same_audio', 'same_music', 'replaced']).meta({
  description:
    'duplicate, chosen: a person merged duplicates, or relocated a missing track; ' +
    'same_audio, same_music: a scan found the same audio, or the same recording in other bytes, in another file; ' +
    'replaced: the same as same_music, and the stored copy stays a track of its own',
});

export const TrackEditOut = z
  .object({
    id: z.int().meta({ description: 'of a merge: the id that POST /merges/{id}/undo takes' }),
    kind: z.enum(['edit', 'match', 'merge']).meta({
      description: 'a person edited fields, chose a match, or another track became this one',
    }),
    created_at: isoTime,
    user_id: z.int().nullable(),
    user_name: z.string().nullable(),
    batch: z.string().nullable().meta({ description: 'of edits that were made together' }),
    batch_tracks: z.int().meta({ description: 'how many tracks were edited together' }),
    changes: z.array(z.object({ field: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
    merged: z
      .object({
        title: z.string(),
        artist_name: z.string().nullable(),
        album_title: z.string().nullable(),
        source: z.string(),
        source_id: z.string(),
        reason: MergeReasonOut,
      })
      .nullable()
      .meta({ description: 'the track that became this one' }),
  })
  .meta({ id: 'TrackEditOut' });
export type TrackEditOut = z.output<typeof TrackEditOut>;
export const UndoneEditOut = TrackOut.extend({
  not_undone: z
    .array(z.object({ field: z.string(), value: z.string().nullable() }))
    .meta({ description: 'fields of the edit that were changed again since, and what they are' }),
}).meta({ id: 'UndoneEditOut' });
export type UndoneEditOut = z.output<typeof UndoneEditOut>;
export const UndoneOut = z
  .object({
    batch: z.string().meta({ description: 'of these changes, which can be undone too' }),
    undone: z.int(),
    failed: z
      .array(z.object({ id: z.int(), detail: z.string() }))
      .meta({ description: 'the first hundred that could not be undone' }),
  })
  .meta({ id: 'UndoneEdits' });
export type UndoneOut = z.output<typeof UndoneOut>;
