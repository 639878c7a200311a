// Zod schemas of hits of catalogues.
import { z } from 'zod';
import { queryInt } from '../http/paging.ts';
import { ShownAvailabilityOut } from '../library/wire.ts';
import type { TrackSummary } from '../library/lists/track-rows.ts';
import type { FoundHit } from './remote-search.ts';

const limit = queryInt
  .pipe(z.int().min(1).max(200))
  .default(20)
  .meta({ description: 'maximum number of hits, 1 to 200' });
const q = z.string().trim().min(1).max(200);

export const SearchQuery = z.object({
  q,
  limit,
  sources: z.string().max(500).optional().meta({ description: 'names separated by commas; by default all' }),
});
export const SourceSearchQuery = z.object({ q, limit });
export const HitCoverQuery = z.object({
  source_id: z.string().min(1).max(1_000),
  token: z.string().optional().meta({ description: 'access token, for image elements, which cannot send headers' }),
});

export const SearchHit = z
  .object({
    source: z.string(),
    source_id: z.string(),
    kind: z.enum(['track', 'album', 'artist']),
    title: z.string(),
    artist_name: z.string().nullable(),
    album_title: z.string().nullable(),
    duration_ms: z.int().nullable(),
    year: z.int().nullable(),
    cover_url: z.string().nullable().meta({ description: 'path on this server; needs the token, like other covers' }),
    in_library: z.boolean(),
    track_id: z.int().nullable(),
    availability: ShownAvailabilityOut.nullable(),
  })
  .meta({ id: 'SearchHit' });
export type SearchHit = z.output<typeof SearchHit>;

export const SearchResponse = z
  .object({
    query: z.string(),
    items: z.array(SearchHit),
    errors: z
      .array(z.object({ source: z.string(), detail: z.string() }))
      .meta({ description: 'sources that failed, with the reason' }),
  })
  .meta({ id: 'SearchResponse' });
export type SearchResponse = z.output<typeof SearchResponse>;

/**
 * Returns the path of a picture on this server: the content security policy forbids other hosts, which would see who
 * searches.
 */
const coverPath = (source: string, sourceId: string): string =>
  `/api/v1/sources/${source}/cover?source_id=${encodeURIComponent(sourceId)}`;

export const toSearchHit = ({ source, hit, savedHit }: FoundHit): SearchHit => ({
  source,
  source_id: hit.sourceId,
  kind: 'track',
  title: hit.title,
  artist_name: hit.artist ?? null,
  album_title: hit.album ?? null,
  duration_ms: hit.durationMs ?? null,
  year: hit.year ?? null,
  cover_url: hit.coverUrl === undefined ? null : coverPath(source, hit.sourceId),
  in_library: savedHit !== undefined,
  track_id: savedHit?.trackId ?? null,
  availability: savedHit?.availability ?? null,
});

export const toLibraryHit = (track: TrackSummary): SearchHit => ({
  source: track.source,
  source_id: track.sourceId,
  kind: 'track',
  title: track.title,
  artist_name: track.artistName,
  album_title: track.albumTitle,
  duration_ms: track.durationMs,
  year: track.year,
  cover_url: track.hasCover ? `/api/v1/tracks/${track.id}/cover` : null,
  in_library: true,
  track_id: track.id,
  availability: track.availability,
});
