// The background tasks of covers. cover_task looks in local files, at thousands of albums per minute, and enqueues
// cover_archive_task for the remaining albums, at the rate that the archive allows. Both can be repeated without harm.
import { z } from 'zod';
import type { Jobs } from '../jobs/service.ts';
import { task, type Handler } from '../jobs/tasks.ts';
import type { CoverService } from './service.ts';

/** Finds covers for new and changed albums. */
export const COVER_TASK = task('cover_task', {
  payload: z.strictObject({}),
  attempts: 3,
  backoff: { firstMs: 5_000, factor: 4, capMs: 300_000 },
  uniqueBy: () => 'albums',
  concurrency: 1,
});

/**
 * Looks in the cover archive for albums without a local cover. Retried for weeks, up to an hour apart, while the
 * archive is down.
 */
export const COVER_ARCHIVE_TASK = task('cover_archive_task', {
  payload: z.strictObject({}),
  attempts: 500,
  backoff: { firstMs: 60_000, factor: 3, capMs: 3_600_000 },
  uniqueBy: () => 'albums',
  concurrency: 1,
});

export const coverTask =
  ({ covers, jobs }: { covers: CoverService; jobs: Pick<Jobs, 'tryEnqueue'> }): Handler<typeof COVER_TASK> =>
  async (_payload, { signal, progress }) => {
    await covers.sweepOrphans({ signal });
    const result = await covers.resolvePending({
      signal,
      progress: (done, total) => progress(done, total, 'Looking for covers'),
    });
    const artists = await covers.findInArtistFolders({ signal });
    if (await covers.hasDueAlbums({ signal })) await jobs.tryEnqueue(COVER_ARCHIVE_TASK, {});
    return { ...result, artists };
  };

export const coverArchiveTask =
  ({ covers }: { covers: CoverService }): Handler<typeof COVER_ARCHIVE_TASK> =>
  async (_payload, { signal, progress }) =>
    covers.resolveDue({
      signal,
      progress: (done, total) => progress(done, total, 'Asking the cover archive'),
    });
