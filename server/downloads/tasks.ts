import { z } from 'zod';
import { DownloadIdIn } from '../db/ids.ts';
import { DEFAULT_BACKOFF } from '../jobs/backoff.ts';
import { task } from '../jobs/tasks.ts';

/** Fetches a track's audio from the remote catalogue, after other downloads. */
export const DOWNLOAD_TASK = task('download_task', {
  payload: z.strictObject({ downloadId: DownloadIdIn }),
  attempts: 5,
  backoff: DEFAULT_BACKOFF,
  uniqueBy: ({ downloadId }) => downloadId,
  concurrency: 2,
});

/** Fetches the audio of a track that somebody wants to hear now. It does not wait for other downloads. */
export const MATERIALIZE_TRACK = task('materialize_track', {
  payload: z.strictObject({ downloadId: DownloadIdIn }),
  attempts: 5,
  backoff: DEFAULT_BACKOFF,
  uniqueBy: ({ downloadId }) => downloadId,
  concurrency: 3,
});
