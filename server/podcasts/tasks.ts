import { z } from 'zod';
import { EpisodeIdIn, PodcastIdIn } from '../db/ids.ts';
import { DEFAULT_BACKOFF } from '../jobs/backoff.ts';
import { task } from '../jobs/tasks.ts';

/** Reads the feed of a podcast. A failed attempt is repeated when the feed is due the next time. */
export const REFRESH_PODCAST = task('refresh_podcast', {
  payload: z.strictObject({ podcastId: PodcastIdIn }),
  attempts: 1,
  uniqueBy: ({ podcastId }) => podcastId,
  concurrency: 2,
});

/** Downloads an episode; resumes where an interruption or a lost connection ended the previous attempt. */
export const DOWNLOAD_EPISODE = task('download_episode', {
  payload: z.strictObject({ episodeId: EpisodeIdIn }),
  attempts: 5,
  backoff: DEFAULT_BACKOFF,
  uniqueBy: ({ episodeId }) => episodeId,
  concurrency: 2,
});
