// Enrichment and review in the API.
import { z } from 'zod';
import { JobOut } from '../jobs/wire.ts';
import { FIELD_NAMES, isTrackField, TRACK_FIELDS } from '../db/track-fields.ts';
import { pagedOf } from '../http/paging.ts';
import { isoTime, toIso } from '../http/times.ts';
import { TrackOut } from '../library/wire.ts';
import type { Match } from './match.ts';
import type { ReviewItem, TrackMatches } from './review-service.ts';

export const EnrichIn = z
  .strictObject({ scope: z.enum(['pending', 'failed', 'all']).default('pending') })
  .meta({ id: 'EnrichIn' });

const problems = z.record(z.string(), z.string()).meta({
  description: 'failed steps (tags, fingerprint, lookup, details, cover) with their reasons',
});

/** Result of an `enrich_task` job. */
export const EnrichTaskResult = z
  .object({ outcome: z.enum(['enriched', 'failed', 'skipped']), error: z.string().nullable(), problems })
  .meta({ id: 'EnrichTaskResult' });
export type EnrichTaskResult = z.output<typeof EnrichTaskResult>;

/** Result of an `enrich_library` job. `failures` has at most 100 items. */
export const EnrichLibraryResult = z
  .object({
    scope: z.enum(['pending', 'failed', 'all', 'unanswered']),
    tracks: z.int(),
    enriched: z.int(),
    failed: z.int(),
    skipped: z.int(),
    crashed: z.int(),
    unanswered: z.int().meta({ description: 'of the above, tracks for which a service was down; retried later' }),
    problems: z.record(z.string(), z.object({ count: z.int(), example: z.string() })),
    failures: z.array(z.object({ track_id: z.int(), reason: z.string() })),
  })
  .meta({ id: 'EnrichLibraryResult' });
export type EnrichLibraryResult = z.output<typeof EnrichLibraryResult>;

export const MatchOut = z
  .object({
    n: z.int().meta({ description: 'for POST /tracks/{id}/matches/{n}/apply; 1 is the best' }),
    score: z.number().nullable().meta({ description: '0 to 1' }),
    title: z.string().nullable(),
    artist_name: z.string().nullable(),
    album_title: z.string().nullable(),
    album_artist_name: z.string().nullable(),
    year: z.int().nullable(),
    track_number: z.int().nullable(),
    disc_number: z.int().nullable(),
    genres: z.array(z.string()),
    recording_mbid: z.string().nullable(),
    release_group_mbid: z.string().nullable(),
    acoustid_id: z.string().nullable(),
  })
  .meta({ id: 'MatchOut' });
export type MatchOut = z.output<typeof MatchOut>;

const OriginOut = z.enum(['tag', 'charset', 'fpid', 'manual', 'path', 'measured']);

/** The origins of a track's fields, and its candidates. */
export const MatchesOut = z
  .object({
    items: z.array(MatchOut),
    trust_score: z.number().meta({ description: 'a match above it wins over the tags' }),
    origins: z.record(z.string(), OriginOut).meta({
      description:
        `title, artist, album, genre, ${FIELD_NAMES.join(', ')} → tag, charset (tags that do not say theirs), ` +
        'fpid (match), manual or path',
    }),
    can_undo: z.boolean().meta({ description: 'the last enrichment changed the track, and nothing else has since' }),
  })
  .meta({ id: 'MatchesOut' });
export type MatchesOut = z.output<typeof MatchesOut>;

export const ReviewOut = z
  .object({
    track: TrackOut,
    reason: z.enum(['low_score', 'tags_disagree']),
    match: MatchOut,
    differences: z.array(z.object({ field: z.string(), tag: z.string().nullable(), match: z.string() })),
    created_at: isoTime,
  })
  .meta({ id: 'ReviewOut' });
export const ReviewPage = pagedOf(ReviewOut).meta({ id: 'PagedReviews' });
export type ReviewOut = z.output<typeof ReviewOut>;

const toMatchOut = (n: number, match: Match): MatchOut => ({
  n,
  score: match.score,
  title: match.title ?? null,
  artist_name: match.artist ?? (match.artists.join(', ') || null),
  album_title: match.album ?? null,
  album_artist_name: match.album === undefined ? null : (match.albumArtist ?? null),
  year: match.year ?? null,
  track_number: match.trackNumber ?? null,
  disc_number: match.discNumber ?? null,
  genres: match.genres,
  recording_mbid: match.recordingMbid ?? null,
  release_group_mbid: match.releaseGroupMbid ?? null,
  acoustid_id: match.acoustidId ?? null,
});

export const toMatchesOut = ({ items, trustScore, origins, canUndo }: TrackMatches): MatchesOut => ({
  items: items.map(({ n, match }) => toMatchOut(n, match)),
  trust_score: trustScore,
  origins: Object.fromEntries(Object.entries(origins).map(([field, origin]) => [wireNameOf(field), origin])),
  can_undo: canUndo,
});

const wireNameOf = (field: string): string => (isTrackField(field) ? TRACK_FIELDS[field].name : field);

export const toReviewOut = ({ track, reason, match, differences, createdAt }: ReviewItem<TrackOut>): ReviewOut => ({
  track,
  reason,
  match: toMatchOut(1, match),
  differences,
  created_at: toIso(createdAt),
});

/** The job; or the reason why the queue cannot be reached, in which case the track stays as it is. */
export const AskedEnrichment = z
  .union([JobOut.extend({ queued: z.literal(true) }), z.object({ queued: z.literal(false), detail: z.string() })])
  .meta({ id: 'AskedEnrichment' });
export type AskedEnrichment = z.output<typeof AskedEnrichment>;
