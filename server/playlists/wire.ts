// Zod schemas of the playlists API.
import { z } from 'zod';
import { event } from '../events/event.ts';
import { MAX_ID, PlaylistIdIn, TrackIdIn, type TrackId } from '../db/ids.ts';
import { idList } from '../http/body.ts';
import { pageQuery, pagedOf, queryBool, queryInt } from '../http/paging.ts';
import { isoTime, toIso, toIsoOrNull } from '../http/times.ts';
import { TrackOut } from '../library/wire.ts';
import { toTrackOut } from '../library/wire-maps.ts';
import type { PlaylistSummary, VersionSummary } from './queries.ts';
import type { Entry } from './read-entries.ts';
import { FIELDS, OPERATORS, RulesIn, SMART_SORTS, SmartSortName, type Field, type Node } from './rules.ts';
import type { VersionEntry } from './versions.ts';

/** Maximum number of tracks in one request: as many as a playlist can have. */
const MAX_TRACKS = 100_000;
const MAX_IDS_IN_ADDRESS = 10_000;
const MAX_MOVED = 10_000;

const name = z.string().trim().min(1, 'must not be empty').max(200);
const description = z.string().trim().max(2_000);
const entryId = z.int().positive().max(MAX_ID);
const expected_version = z
  .int()
  .positive()
  .optional()
  .meta({ description: 'if the playlist is at another version: 409, and nothing is changed' });

export const playlistEvent = event(
  'playlist',
  z.object({ id: z.int(), version: z.int(), deleted: z.boolean() }),
  'A playlist changed or became unreadable and has to be reloaded. Public ones are sent to everybody.',
);

export const PlaylistCreate = z
  .strictObject({
    name,
    description: description.nullish(),
    is_public: z.boolean().default(false).meta({ description: 'everybody may read it, nobody else may change it' }),
    track_ids: idList<TrackId>(MAX_TRACKS).optional(),
    rules: RulesIn.optional().meta({ description: 'makes it a smart playlist' }),
  })
  .transform(({ is_public, track_ids, description, ...rest }) => ({
    ...rest,
    description: description ?? null,
    isPublic: is_public,
    trackIds: track_ids ?? [],
  }))
  .meta({ id: 'PlaylistCreate' });
export type PlaylistCreate = z.input<typeof PlaylistCreate>;

export const PlaylistUpdate = z
  .strictObject({
    name: name.optional(),
    description: description.nullable().optional(),
    is_public: z.boolean().optional(),
    rules: RulesIn.optional(),
    expected_version,
  })
  .transform(({ is_public, expected_version, ...rest }) => ({
    ...rest,
    isPublic: is_public,
    expectedVersion: expected_version,
  }))
  .meta({ id: 'PlaylistUpdate' });
export type PlaylistUpdate = z.input<typeof PlaylistUpdate>;

export const AddTracks = z
  .strictObject({
    track_ids: idList<TrackId>(MAX_TRACKS, { least: 1 }),
    position: z
      .int()
      .min(0)
      .optional()
      .meta({ description: 'index of the first new track, from 0; at the end if absent or past it' }),
    skip_duplicates: z.boolean().optional().meta({ description: 'skip tracks that are already in the playlist' }),
    expected_version,
  })
  .transform(({ track_ids, position, skip_duplicates, expected_version }) => ({
    trackIds: track_ids,
    position,
    skipDuplicates: skip_duplicates === true,
    expectedVersion: expected_version,
  }))
  .meta({ id: 'PlaylistAddTracks' });

export const RemoveEntries = z.object({
  entry_id: z
    .union([z.string().transform((id) => [id]), z.array(z.string())])
    .pipe(z.array(queryInt.pipe(entryId)).max(MAX_IDS_IN_ADDRESS))
    .optional()
    .meta({ description: `once for each entry, at most ${MAX_IDS_IN_ADDRESS} times` }),
  track_id: z
    .union([z.string().transform((id) => [id]), z.array(z.string())])
    .pipe(z.array(queryInt.pipe(TrackIdIn)).max(MAX_IDS_IN_ADDRESS))
    .optional()
    .meta({ description: 'instead: once for each track, of which all entries go' }),
  expected_version: queryInt.pipe(z.int().positive()).optional(),
});
export const RemoveTracks = z
  .strictObject({ track_ids: idList<TrackId>(MAX_TRACKS, { least: 1 }).optional() })
  .meta({ id: 'PlaylistRemoveTracks' });
export const EntryParam = z.object({ id: idText(PlaylistIdIn), entry_id: idText(entryId) });
export const TrackInListParam = z.object({ id: idText(PlaylistIdIn), track_id: idText(TrackIdIn) });
export const VersionParam = z.object({ id: idText(PlaylistIdIn), version: idText(z.int().positive()) });

export const Reorder = z
  .strictObject({
    entry_ids: idList<number>(MAX_TRACKS, {
      least: 1,
      description: 'all entries of the playlist, in the new order',
    }),
    expected_version,
  })
  .transform(({ entry_ids, expected_version }) => ({ entryIds: entry_ids, expectedVersion: expected_version }))
  .meta({ id: 'PlaylistReorder' });

const named = { entry_ids: idList<number>(MAX_MOVED, { least: 1 }).optional() };
const allBut = idList<number>(MAX_MOVED, { description: 'instead of `entry_ids`: all entries but these' }).optional();
const isOneOf = ({ entry_ids, all_but }: { entry_ids?: unknown; all_but?: unknown }): boolean =>
  (entry_ids === undefined) !== (all_but === undefined);
const ONE_OF = { path: ['entry_ids'], message: 'either this or all_but is required' };

export const MoveEntries = z
  .strictObject({
    ...named,
    all_but: allBut,
    in_list_order: z
      .boolean()
      .optional()
      .meta({
        description:
          'true: they keep their order, as with `all_but`, and where `before_entry_id` is one of them, the next ' +
          'entry that stays counts; false: they go in the order of `entry_ids`',
      }),
    before_entry_id: entryId
      .nullable()
      .meta({ description: 'the entry they go in front of; null moves them to the end' }),
    expected_version,
  })
  .refine(isOneOf, ONE_OF)
  .transform(({ entry_ids, all_but, in_list_order, before_entry_id, expected_version }) => ({
    ...(entry_ids ? { entryIds: entry_ids, inListOrder: in_list_order === true } : { allBut: all_but ?? [] }),
    before: before_entry_id,
    expectedVersion: expected_version,
  }))
  .meta({ id: 'PlaylistMove', 'x-example': { entry_ids: [3], before_entry_id: null } });
export const RemoveChosen = z
  .strictObject({ ...named, all_but: allBut, expected_version })
  .refine(isOneOf, ONE_OF)
  .transform(({ entry_ids, all_but, expected_version }) => ({
    chosen: entry_ids ? { entryIds: entry_ids } : { allBut: all_but ?? [] },
    expectedVersion: expected_version,
  }))
  .meta({ id: 'PlaylistRemove', 'x-example': { entry_ids: [3] } });
export const Restore = z
  .strictObject({ version: z.int().positive(), expected_version })
  .transform(({ version, expected_version }) => ({ version, expectedVersion: expected_version }))
  .meta({ id: 'PlaylistRestore' });
export const PreviewRules = z
  .strictObject({ rules: RulesIn, limit: z.int().min(0).max(200).default(20) })
  .meta({ id: 'PlaylistPreview' });

export const PlaylistQuery = z.object({
  deleted: queryBool.optional().meta({ description: 'only your deleted playlists, which can be restored' }),
  ...pageQuery,
});
export const EntriesWanted = z.object({
  entries: queryBool
    .default(true)
    .meta({ description: 'false omits `entries`; read long playlists by pages of /tracks' }),
});
export const EntryQuery = z.object({
  ...pageQuery,
  q: z.string().trim().max(200).optional().meta({ description: 'words in title, artist or album of the track' }),
  seed: queryInt.optional().meta({
    description: 'a random order that stays the same across pages and changes; `position` is the place in it',
  }),
});
export const UnmatchedQuery = z.object(pageQuery);
export const RemoveQuery = z.object({
  forever: queryBool.default(false).meta({ description: 'remove a deleted playlist for good' }),
});
export const ExpectedVersion = z.object({
  expected_version: queryInt.pipe(z.int().positive()).optional(),
  ...EntriesWanted.shape,
});
export const ContainsQuery = z.object({
  track_id: z
    .union([z.string().transform((id) => [id]), z.array(z.string())])
    .pipe(z.array(queryInt.pipe(TrackIdIn)).max(1_000)),
});

export const PlaylistEntryOut = z
  .object({
    entry_id: z.int().meta({ description: 'in a smart playlist: the id of the track' }),
    position: z.int().meta({ description: 'from 0' }),
    added_at: isoTime,
    track: TrackOut,
  })
  .meta({ id: 'PlaylistEntryOut' });
export type PlaylistEntryOut = z.output<typeof PlaylistEntryOut>;
export const PlaylistEntryPage = pagedOf(PlaylistEntryOut).meta({ id: 'PagedPlaylistEntries' });
export type PlaylistEntryPage = z.output<typeof PlaylistEntryPage>;

/** Rules have the form of RulesIn; stored rules are not validated again. */
const NodeOut = z
  .record(z.string(), z.unknown())
  .meta({ description: 'a rule {field, op, value} or a group {all} or {any}' }) as unknown as z.ZodType<Node, Node>;
const RulesOut = z
  .object({
    all: z.array(NodeOut).optional(),
    any: z.array(NodeOut).optional(),
    sort: z.array(z.object({ field: SmartSortName, order: z.enum(['asc', 'desc']) })).optional(),
    limit: z.int().optional(),
    limit_by: z.enum(['tracks', 'minutes', 'megabytes']).optional(),
    seed: z.int().optional(),
  })
  .meta({ id: 'SmartRulesOut' });

export const UnmatchedLineOut = z
  .object({ line: z.int().meta({ description: 'line number, from 1' }), text: z.string(), reason: z.string() })
  .meta({ id: 'UnmatchedLineOut' });
export type UnmatchedLineOut = z.output<typeof UnmatchedLineOut>;
export const UnmatchedLinePage = pagedOf(UnmatchedLineOut).meta({ id: 'PagedUnmatchedLines' });
export type UnmatchedLinePage = z.output<typeof UnmatchedLinePage>;

export const PlaylistOut = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string().nullable(),
    owner_id: z.int(),
    owner_name: z.string(),
    is_public: z.boolean(),
    is_smart: z.boolean(),
    rules: RulesOut.nullable(),
    version: z.int(),
    track_count: z.int(),
    duration_ms: z.int(),
    created_at: isoTime,
    updated_at: isoTime,
    deleted_at: isoTime.nullable(),
    file: z
      .object({
        path: z.string().meta({ description: 'as in `source_id`' }),
        state: z.enum(['follows', 'edited', 'stopped']).meta({
          description:
            'follows: a changed file changes the playlist; edited: a person changed the playlist, which does not ' +
            'follow any more; stopped: a person chose that',
        }),
        is_gone: z.boolean().meta({ description: 'the file is no longer in the music folder' }),
        fault: z.string().nullable().meta({ description: 'why the file, or a part of it, could not be used' }),
        unmatched_count: z.int().meta({ description: 'lines of the file without a track; see /unmatched' }),
      })
      .nullable()
      .meta({ description: 'the playlist file in a music folder that made the playlist' }),
    unmatched: z.array(UnmatchedLineOut).optional().meta({
      description: 'lines of the file without a track, at most 1000; only in GET /playlists/{id}, and for its owner',
    }),
    entries: z.array(PlaylistEntryOut).optional(),
  })
  .meta({ id: 'PlaylistOut' });
export type PlaylistOut = z.output<typeof PlaylistOut>;
export const PlaylistPage = pagedOf(PlaylistOut).meta({ id: 'PagedPlaylists' });
export type PlaylistPage = z.output<typeof PlaylistPage>;

export const PreviewOut = z
  .object({ track_count: z.int(), duration_ms: z.int(), tracks: z.array(TrackOut) })
  .meta({ id: 'PlaylistPreviewOut' });
export type PreviewOut = z.output<typeof PreviewOut>;

const PlaylistChangeOut = z.enum([
  'create',
  'add',
  'remove',
  'reorder',
  'replace',
  'restore',
  'import',
  'rules',
  'file',
  'track_deleted',
  'track_restored',
]);
export const PlaylistVersionOut = z
  .object({
    version: z.int(),
    change: PlaylistChangeOut,
    added: z.int(),
    removed: z.int(),
    moved: z.int(),
    track_count: z.int().meta({ description: 'after the change' }),
    user_name: z
      .string()
      .nullable()
      .meta({ description: 'null if no person made the change, but the library or a playlist file' }),
    created_at: isoTime,
  })
  .meta({ id: 'PlaylistVersionOut' });
export type PlaylistVersionOut = z.output<typeof PlaylistVersionOut>;
export const PlaylistVersionPage = pagedOf(PlaylistVersionOut).meta({ id: 'PagedPlaylistVersions' });
export type PlaylistVersionPage = z.output<typeof PlaylistVersionPage>;

/** An entry of a past version, whose track may have been removed. */
export const VersionEntryOut = z
  .object({
    entry_id: z.int(),
    position: z.int(),
    track_id: z.int().nullable().meta({ description: 'null if the track was removed' }),
    title: z.string(),
    artist_name: z.string().nullable(),
  })
  .meta({ id: 'PlaylistVersionEntryOut' });
export const VersionEntryPage = pagedOf(VersionEntryOut).meta({ id: 'PagedPlaylistVersionEntries' });
export type VersionEntryPage = z.output<typeof VersionEntryPage>;

export const RestoreOut = z
  .object({
    playlist: PlaylistOut,
    missing: z
      .array(z.object({ title: z.string(), artist_name: z.string().nullable() }))
      .meta({ description: 'tracks of that version that were removed' }),
  })
  .meta({ id: 'PlaylistRestoreOut' });
export type RestoreOut = z.output<typeof RestoreOut>;

export const ImportQuery = z.object({
  name: name.optional().meta({ description: 'default: the name in the file, else the file name' }),
  is_public: queryBool.default(false),
  ...EntriesWanted.shape,
});
export const ImportOut = z
  .object({
    playlist: PlaylistOut,
    matched: z.int(),
    unmatched: z.array(UnmatchedLineOut),
  })
  .meta({ id: 'PlaylistImportOut' });
export type ImportOut = z.output<typeof ImportOut>;

export const ExportQuery = z.object({
  paths: z
    .enum(['relative', 'absolute'])
    .default('relative')
    .meta({ description: 'relative to the music folder, or absolute (administrators only)' }),
});

export const SmartFieldsOut = z
  .object({
    fields: z.array(z.object({ field: z.string(), kind: z.string(), operators: z.array(z.string()) })),
    sorts: z.array(z.string()),
  })
  .meta({ id: 'SmartFieldsOut' });
export const toSmartFields = (): z.output<typeof SmartFieldsOut> => ({
  fields: (Object.keys(FIELDS) as Field[]).map((field) => ({
    field,
    kind: FIELDS[field],
    operators: [...OPERATORS[FIELDS[field]]],
  })),
  sorts: [...SMART_SORTS],
});

export const TrackIdList = z.array(z.int());

function idText<T extends z.ZodType>(id: T) {
  return z
    .string()
    .regex(/^\d{1,15}$/, 'must be a positive whole number')
    .transform(Number)
    .pipe(id as unknown as z.ZodType<z.output<T>, number>);
}

export const toPlaylistOut = (p: PlaylistSummary): PlaylistOut => ({
  id: p.id,
  name: p.name,
  description: p.description,
  owner_id: p.ownerId,
  owner_name: p.ownerName,
  is_public: p.isPublic,
  is_smart: p.rules !== null,
  rules: p.rules,
  version: p.version,
  track_count: p.trackCount,
  duration_ms: p.durationMs,
  created_at: toIso(p.createdAt),
  updated_at: toIso(p.updatedAt),
  deleted_at: toIsoOrNull(p.deletedAt),
  file: p.file && {
    path: p.file.path,
    state: p.file.state,
    is_gone: p.file.isGone,
    fault: p.file.fault,
    unmatched_count: p.file.unmatchedCount,
  },
});

export const toEntryOut = ({ id, position, addedAt, track }: Entry): PlaylistEntryOut => ({
  entry_id: id,
  position,
  added_at: toIso(addedAt),
  track: toTrackOut(track),
});

export const toVersionOut = (v: VersionSummary): PlaylistVersionOut => ({
  version: v.version,
  change: v.change,
  added: v.added,
  removed: v.removed,
  moved: v.moved,
  track_count: v.trackCount,
  user_name: v.userName,
  created_at: toIso(v.createdAt),
});

export const toVersionEntryOut = (entry: VersionEntry): z.output<typeof VersionEntryOut> => ({
  entry_id: entry.id,
  position: entry.position,
  track_id: entry.isTrackThere ? entry.trackId : null,
  title: entry.title,
  artist_name: entry.artistName,
});
