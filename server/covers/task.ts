// The two background tasks of covers. cover_task looks near by for the albums that wait for one, and goes through
// thousands in a minute; cover_archive_task asks the archive for what is left, at its pace. Running either twice finds
// nothing to do.
import type { Handler } from '../jobs/tasks.ts';
import type { Jobs } from '../jobs/service.ts';
import type { CoverService } from './service.ts';

export const coverTask =
  ({ covers, jobs }: { covers: CoverService; jobs: Pick<Jobs, 'tryEnqueue'> }): Handler<'cover_task'> =>
  async (_payload, { signal, progress, yieldToRequests }) => {
    await covers.sweepOrphans({ signal, yieldToRequests });
    const result = await covers.resolvePending({
      signal,
      yieldToRequests,
      progress: (done, total) => progress(done, total, 'Looking for covers'),
    });
    if (await covers.hasWanted({ signal, yieldToRequests })) await jobs.tryEnqueue('cover_archive_task', {});
    return result;
  };

export const coverArchiveTask =
  ({ covers }: { covers: CoverService }): Handler<'cover_archive_task'> =>
  async (_payload, { signal, progress, yieldToRequests }) =>
    covers.resolveWanted({
      signal,
      yieldToRequests,
      progress: (done, total) => progress(done, total, 'Asking the cover archive'),
    });
