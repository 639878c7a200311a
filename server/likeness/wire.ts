// Zod schemas of similar tracks, radio, paths, map and mixes.
import { z } from 'zod';
import { AlbumIdIn, ArtistIdIn, PlaylistIdIn, TrackIdIn } from '../db/ids.ts';
import { pagedOf, pageQuery, queryInt } from '../http/paging.ts';
import { isoTime } from '../http/times.ts';
import { TrackOut } from '../library/wire.ts';
import { MOODS } from '../library/lists/moods.ts';

/** Says whether sound was compared, or only tags, because too few tracks were analyzed. */
const ByOut = z
  .enum(['sound', 'tags'])
  .meta({ description: 'sound: what was measured of the audio was compared; tags: artists, genres and years were' });

const likeness = z.number().min(0).max(1).meta({ description: '0 is nothing alike, 1 the same sound' });

const rank = z.number().min(0).max(1).meta({
  description: 'of the likeness: the share of the library that is at least as much alike, so 0.02 is the closest 2 %',
});

/** Why a track was chosen. All reasons of a track are true; clients put them into words. */
export const ReasonOut = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('sounds_like'), track_id: z.int(), title: z.string(), likeness, rank }),
    z.object({ kind: z.literal('more_like'), track_id: z.int(), title: z.string() }).meta({
      description:
        'the listener wants more like that track, and this one is among the tenth of the library nearest to it',
    }),
    z.object({ kind: z.literal('less_like'), track_id: z.int(), title: z.string() }).meta({
      description:
        'the listener wants less like that track, and this one is not among the tenth of the library nearest to it',
    }),
    z.object({ kind: z.literal('same_tempo'), bpm: z.number(), track_id: z.int(), title: z.string() }),
    z.object({
      kind: z.literal('matching_key'),
      key: z.string().meta({ description: 'of the chosen track: the same as that of the other, or one that fits it' }),
      track_id: z.int(),
      title: z.string(),
    }),
    z.object({ kind: z.literal('same_artist'), artist_id: z.int(), name: z.string() }),
    z.object({ kind: z.literal('same_genre'), genre: z.string() }),
    z.object({ kind: z.literal('same_years'), year: z.int() }),
    z.object({ kind: z.literal('mood'), mood: z.enum(MOODS) }),
    z.object({ kind: z.literal('played_at_this_hour'), plays: z.int() }),
    z.object({ kind: z.literal('played_lately'), title: z.string(), track_id: z.int(), plays: z.int() }),
    z.object({ kind: z.literal('loved') }),
    z.object({
      kind: z.literal('forgotten'),
      plays: z.int(),
      last_played_at: isoTime,
    }),
    z.object({ kind: z.literal('never_played') }),
    z.object({ kind: z.literal('on_the_way'), step: z.int(), steps: z.int() }),
    z.object({ kind: z.literal('any') }).meta({ description: 'nothing that is more alike is left in the library' }),
  ])
  .meta({ id: 'ReasonOut' });
export type ReasonOut = z.output<typeof ReasonOut>;

export const ChosenTrackOut = z
  .object({
    track: TrackOut,
    likeness: likeness
      .nullable()
      .meta({ description: 'to what it was chosen for; null where sounds were not compared' }),
    likeness_rank: rank.nullable(),
    reasons: z.array(ReasonOut),
  })
  .meta({ id: 'ChosenTrackOut' });
export type ChosenTrackOut = z.output<typeof ChosenTrackOut>;

export const VERSION_KINDS = ['same_recording', 'live', 'remaster', 'remix', 'acoustic', 'version', 'cover'] as const;

export const SimilarTracksOut = z
  .object({
    by: ByOut,
    items: z.array(ChosenTrackOut).meta({ description: 'most similar first, without the versions' }),
    versions: z
      .array(
        z.object({
          track: TrackOut,
          kind: z.enum(VERSION_KINDS),
          likeness: likeness.nullable(),
          likeness_rank: rank.nullable(),
        }),
      )
      .meta({
        description:
          'the same song again. same_recording: the same sound, by fingerprint (a duplicate, or on another release); ' +
          'cover: by other artists; version: another one that does not say what it is',
      }),
  })
  .meta({ id: 'SimilarTracksOut' });
export type SimilarTracksOut = z.output<typeof SimilarTracksOut>;

const mostQuery = (or: number, max: number, description: string) =>
  queryInt.pipe(z.int().min(1).max(max)).default(or).meta({ description });

export const SimilarQuery = z.object({ limit: mostQuery(20, 100, 'tracks, 1 to 100') });

/** The seed of a radio. */
export const SeedIn = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('track'), id: TrackIdIn }),
    z.strictObject({ kind: z.literal('album'), id: AlbumIdIn }),
    z.strictObject({ kind: z.literal('artist'), id: ArtistIdIn }),
    z.strictObject({ kind: z.literal('genre'), name: z.string().min(1).max(500) }),
    z.strictObject({ kind: z.literal('playlist'), id: PlaylistIdIn }),
    z.strictObject({ kind: z.literal('mood'), mood: z.enum(MOODS) }),
    z
      .strictObject({
        kind: z.literal('moment'),
        hour: z.int().min(0).max(23).meta({ description: 'of the day, where the listener is' }),
        utc_offset_minutes: z.int().min(-840).max(840).default(0),
      })
      .meta({ description: 'what is usually played at this hour' }),
  ])
  .meta({ id: 'RadioSeed' });
export type SeedIn = z.output<typeof SeedIn>;

const MAX_PLAYED = 2_000;
const MAX_STEERED = 200;

/** A radio has no state on the server: the client sends the tracks that it got so far. */
export const RadioIn = z
  .strictObject({
    seed: SeedIn,
    count: z.int().min(1).max(100).default(10).meta({ description: 'tracks wanted now' }),
    played: z.array(TrackIdIn).max(MAX_PLAYED).default([]).meta({
      description: 'what this radio gave so far, first to last; they do not come again while there are others',
    }),
    more: z.array(TrackIdIn).max(MAX_STEERED).default([]).meta({
      description: 'more like these; they count like the seed, and the latest ones draw everything towards them',
    }),
    less: z
      .array(TrackIdIn)
      .max(MAX_STEERED)
      .default([])
      .meta({ description: 'these never, and less of what sounds like the latest of them' }),
  })
  .meta({ id: 'RadioIn' });
export type RadioIn = z.output<typeof RadioIn>;

export const RadioOut = z
  .object({
    by: ByOut,
    title: z.string().nullable().meta({ description: 'of the seed; null for moods and moments' }),
    items: z.array(ChosenTrackOut),
  })
  .meta({ id: 'RadioOut' });
export type RadioOut = z.output<typeof RadioOut>;

/** Tracks and artists that radio and mixes do not play for this account. */
export const NeverOut = z
  .object({
    tracks: z.array(z.object({ id: z.int(), title: z.string() })),
    artists: z.array(z.object({ id: z.int(), name: z.string() })),
  })
  .meta({ id: 'RadioNeverOut' });
export type NeverOut = z.output<typeof NeverOut>;

export const PathQuery = z.object({
  from: queryInt.pipe(TrackIdIn as unknown as z.ZodType<z.output<typeof TrackIdIn>, number>),
  to: queryInt.pipe(TrackIdIn as unknown as z.ZodType<z.output<typeof TrackIdIn>, number>),
  steps: mostQuery(10, 50, 'tracks between the two, 1 to 50'),
});

export const PathOut = z
  .object({
    by: ByOut,
    items: z.array(ChosenTrackOut).meta({
      description: 'from the first to the last track, both included; likeness is to the one before',
    }),
  })
  .meta({ id: 'PathOut' });
export type PathOut = z.output<typeof PathOut>;

/** Coordinates of the map are whole numbers from 0 to this value. */
export const MAP_SIZE = 65_535;
const side = (or: number) => queryInt.pipe(z.int().min(0).max(MAP_SIZE)).default(or);
const area = { min_x: side(0), min_y: side(0), max_x: side(MAP_SIZE), max_y: side(MAP_SIZE) };

export const MapQuery = z.object({
  ...area,
  points: queryInt
    .pipe(z.int().min(0).max(50_000))
    .default(5_000)
    .meta({ description: 'at most so many, spread evenly over the tracks of the area; 0 to 50,000' }),
  cells: queryInt
    .pipe(z.int().min(1).max(128))
    .default(64)
    .meta({ description: 'the area is counted in so many columns and rows, 1 to 128' }),
});

export const MapOut = z
  .object({
    version: z
      .string()
      .nullable()
      .meta({ description: 'coordinates with another version do not fit; null: no map yet' }),
    total: z.int().meta({ description: 'tracks of the area' }),
    cells: z.array(z.int()).meta({ description: 'tracks in each cell, row by row from min_x, min_y' }),
    genres: z.array(z.string()).meta({ description: 'the main ones of the library; `genre` is a place in this list' }),
    points: z.object({
      id: z.array(z.int()),
      x: z.array(z.int()),
      y: z.array(z.int()),
      genre: z.array(z.int()).meta({ description: '-1: another one, or none' }),
    }),
    labels: z.array(z.object({ x: z.int(), y: z.int(), genre: z.string(), tracks: z.int() })).meta({
      description: 'which genre prevails where, for the largest places of the area',
    }),
  })
  .meta({ id: 'MapOut' });
export type MapOut = z.output<typeof MapOut>;

/** The tracks of an area as a list. */
export const MapTracksQuery = z.object({ ...area, ...pageQuery });
export const MapTracksOut = pagedOf(z.object({ track: TrackOut, x: z.int(), y: z.int() })).meta({ id: 'MapTracksOut' });

/** A line that a person drew across the map. */
export const MapLineIn = z
  .strictObject({
    points: z
      .array(z.strictObject({ x: z.int().min(0).max(MAP_SIZE), y: z.int().min(0).max(MAP_SIZE) }))
      .min(2)
      .max(200),
    count: z.int().min(2).max(200).default(20),
  })
  .meta({ id: 'MapLineIn' });
export const MapLineOut = z
  .object({ items: z.array(TrackOut).meta({ description: 'near the line, in its direction' }) })
  .meta({ id: 'MapLineOut' });

export const MIX_KINDS = ['like_artist', 'loved', 'forgotten', 'mood', 'hour', 'unplayed'] as const;

export const MixOut = z
  .object({
    id: z.string().meta({ description: 'valid until the day is over where the listener was when it began' }),
    kind: z.enum(MIX_KINDS),
    subject: z.string().nullable().meta({ description: 'name of the artist, the mood, or the hour (0 to 23)' }),
    why: z.array(ReasonOut).meta({ description: 'why this mix is there today' }),
    track_count: z.int(),
    duration_ms: z.int(),
    cover_track_ids: z.array(z.int()).meta({ description: 'up to four with covers of different albums' }),
    artist_names: z.array(z.string()).meta({ description: 'some of those in it' }),
  })
  .meta({ id: 'MixOut' });
export type MixOut = z.output<typeof MixOut>;

export const MixesQuery = z.object({
  utc_offset_minutes: queryInt
    .pipe(z.int().min(-840).max(840))
    .default(0)
    .meta({ description: 'of the listener. Mixes stay until the day is over where they were first asked for' }),
});
export const MixesOut = z.object({ items: z.array(MixOut) }).meta({ id: 'MixesOut' });
export type MixesOut = z.output<typeof MixesOut>;
export const MixParam = z.object({ mix: z.string().max(60) });
export const MixTracksOut = z.object({ mix: MixOut, items: z.array(ChosenTrackOut) }).meta({ id: 'MixTracksOut' });
export type MixTracksOut = z.output<typeof MixTracksOut>;

export const LikenessOut = z
  .object({
    by: ByOut,
    analyzed: z.int().meta({ description: 'tracks whose sound can be compared, or that have none to compare' }),
    total: z.int().meta({ description: 'tracks with audio' }),
    indexed: z.int().meta({ description: 'tracks in the index that is used now' }),
    built_at: isoTime.nullable(),
    is_building: z.boolean(),
  })
  .meta({ id: 'LikenessOut' });
export type LikenessOut = z.output<typeof LikenessOut>;
