// Zod schemas of the podcasts API.
import { z } from 'zod';
import { event } from '../events/event.ts';
import { pagedOf, pageQuery } from '../http/paging.ts';
import { isoTime, toIso, toIsoOrNull } from '../http/times.ts';
import type { EpisodeSummary, PodcastRow } from './queries.ts';

export const PodcastIn = z
  .strictObject({ url: z.string().min(1).max(2_000).meta({ description: 'address of the feed' }) })
  .meta({ id: 'PodcastIn' });
export const PodcastOut = z
  .object({
    id: z.int(),
    url: z.string(),
    title: z.string(),
    description: z.string().nullable(),
    status: z.enum(['new', 'completed', 'error']),
    error: z.string().nullable(),
    checked_at: isoTime.nullable(),
    created_at: isoTime,
  })
  .meta({ id: 'PodcastOut' });
export type PodcastOut = z.output<typeof PodcastOut>;
export const PodcastList = z.array(PodcastOut);

export const EpisodeOut = z
  .object({
    id: z.int(),
    podcast_id: z.int(),
    podcast_title: z.string(),
    title: z.string(),
    description: z.string().nullable(),
    published_at: isoTime,
    duration_ms: z.int().nullable(),
    size_bytes: z.int().nullable(),
    status: z.enum(['new', 'downloading', 'completed', 'error', 'deleted']),
    error: z.string().nullable(),
    position_ms: z.int().nullable().meta({ description: 'where you stopped' }),
  })
  .meta({ id: 'EpisodeOut' });
export type EpisodeOut = z.output<typeof EpisodeOut>;
export const EpisodePage = pagedOf(EpisodeOut).meta({ id: 'PagedEpisodes' });
export type EpisodePage = z.output<typeof EpisodePage>;
export const EpisodeQuery = z.object(pageQuery);
export const PositionIn = z
  .strictObject({
    position_ms: z
      .int()
      .min(0)
      .max(48 * 3_600_000),
  })
  .meta({ id: 'EpisodePositionIn' });

export const podcastEvent = event('podcast', z.object({}), 'a podcast or one of its episodes changed');

export const toPodcastOut = (podcast: PodcastRow): PodcastOut => ({
  id: podcast.id,
  url: podcast.url,
  title: podcast.title,
  description: podcast.description,
  status: podcast.status,
  error: podcast.error,
  checked_at: toIsoOrNull(podcast.checkedAt),
  created_at: toIso(podcast.createdAt),
});

export const toEpisodeOut = (episode: EpisodeSummary): EpisodeOut => ({
  id: episode.id,
  podcast_id: episode.podcastId,
  podcast_title: episode.podcastTitle,
  title: episode.title,
  description: episode.description,
  published_at: toIso(episode.publishedAt),
  duration_ms: episode.durationMs,
  size_bytes: episode.sizeBytes,
  status: episode.status,
  error: episode.error,
  position_ms: episode.positionMs,
});
