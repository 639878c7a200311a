// Shapes of the downloads API: saved hits, and the downloads of their audio.
import { z } from 'zod';
import { event } from '../events/event.ts';
import { pageQuery, pagedOf } from '../http/paging.ts';
import { isoTime, toIso, toIsoOrNull } from '../http/times.ts';
import { TrackIdIn } from '../db/ids.ts';
import { STREAMSRC } from '../sources/remote-catalogue.ts';
import { JobStatusOut } from '../jobs/wire.ts';
import type { TrackOut } from '../library/wire.ts';
import type { DownloadRow } from './queries.ts';
import type { HitTexts } from './remote-tracks.ts';

const name = z.string().trim().min(1).max(1_000);
const source = z.string().max(100).default(STREAMSRC);
const sourceId = z.string().min(1).max(1_000);

/** A hit as the search returned it. */
export const RemoteTrackIn = z
  .strictObject({
    source,
    source_id: sourceId,
    title: name.optional().meta({ description: 'looked up when it is absent' }),
    artist_name: name.nullable().optional(),
    album_title: name.nullable().optional(),
    duration_ms: z.int().min(0).max(1e10).nullable().optional(),
    year: z.int().min(0).max(9999).nullable().optional(),
    cover_url: z
      .string()
      .max(4_000)
      .nullable()
      .optional()
      .meta({ description: 'ignored: the cover is the one that the search returned' }),
  })
  .meta({ id: 'RemoteTrackIn' });

export const DownloadIn = z
  .strictObject({
    source,
    source_id: sourceId.optional(),
    track_id: TrackIdIn.optional().meta({ description: 'instead of source and source_id: a saved track' }),
  })
  .refine(({ source_id, track_id }) => source_id !== undefined || track_id !== undefined, {
    path: ['source_id'],
    message: 'either this or track_id is required',
  })
  .meta({ id: 'DownloadIn', 'x-example': { source: 'streamsrc', source_id: 'ia:item/file.mp3' } });

export const DownloadJobOut = z
  .object({
    id: z.int(),
    source: z.string(),
    source_id: z.string(),
    track_id: z.int().nullable().meta({ description: 'null when the track was deleted' }),
    status: JobStatusOut,
    attempts: z.int(),
    max_attempts: z.int(),
    progress: z.number().min(0).max(1).nullable().meta({ description: 'null while the size is not known' }),
    bytes_done: z.int(),
    bytes_total: z.int().nullable(),
    error: z.string().nullable().meta({ description: 'why the latest attempt failed, as a sentence' }),
    next_attempt_at: isoTime.nullable(),
    created_at: isoTime,
    updated_at: isoTime,
  })
  .meta({ id: 'DownloadJobOut' });
export type DownloadJobOut = z.output<typeof DownloadJobOut>;

/**
 * The download of a track. For a track that has audio without a download, such as an uploaded one, it contains the
 * track's source.
 */
export const FetchOut = DownloadJobOut.extend({
  id: z.int().nullable().meta({ description: 'null when no download was needed' }),
}).meta({ id: 'FetchOut' });
export type FetchOut = z.output<typeof FetchOut>;

export const downloadEvent = event(
  'download',
  DownloadJobOut,
  'How far the download of a track is; a few times a second at most.',
);

export const DownloadPage = pagedOf(DownloadJobOut).meta({ id: 'PagedDownloads' });
export const DownloadQuery = z.object({ status: JobStatusOut.optional(), ...pageQuery });

/** Returns the texts of a hit. `title` is used when the hit has no title. */
export const toHitTexts = (hit: z.output<typeof RemoteTrackIn>, title: string): HitTexts => ({
  title: hit.title ?? title,
  artist: hit.artist_name ?? undefined,
  album: hit.album_title ?? undefined,
  durationMs: hit.duration_ms || undefined,
  year: hit.year || undefined,
});

export const toDownloadOut = (row: DownloadRow): DownloadJobOut => ({
  id: row.id,
  source: row.source,
  source_id: row.sourceId,
  track_id: row.trackId,
  status: row.status,
  attempts: row.attempts,
  max_attempts: row.maxAttempts,
  progress: row.status === 'succeeded' ? 1 : row.bytesTotal ? Math.min(1, row.bytesDone / row.bytesTotal) : null,
  bytes_done: row.bytesDone,
  bytes_total: row.bytesTotal,
  error: row.error,
  next_attempt_at: toIsoOrNull(row.nextAttemptAt),
  created_at: toIso(row.createdAt),
  updated_at: toIso(row.updatedAt),
});

export const withoutDownload = ({ id, source, source_id, created_at, updated_at }: TrackOut): FetchOut => ({
  id: null,
  source,
  source_id,
  track_id: id,
  status: 'succeeded',
  attempts: 0,
  max_attempts: 0,
  progress: 1,
  bytes_done: 0,
  bytes_total: null,
  error: null,
  next_attempt_at: null,
  created_at,
  updated_at,
});
