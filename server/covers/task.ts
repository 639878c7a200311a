// cover_task: finds covers for the albums that wait for one. Queued after a scan or an upload; running twice finds nothing to do.
import type { Handler } from '../jobs/tasks.ts';
import type { CoverService } from './service.ts';

export const coverTask = ({ covers }: { covers: Pick<CoverService, 'resolvePending'> }): Handler<'cover_task'> =>
  async (_payload, { signal, progress }) =>
    covers.resolvePending({ signal, progress: (done, total) => progress(done, total, 'Looking for covers') });
