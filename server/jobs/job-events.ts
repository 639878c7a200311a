// Publishes the state of jobs without flooding listeners: the first change at once, then the latest state of each job a
// few times a second.
import type { EventHub } from '../events/hub.ts';
import type { JobId } from '../db/ids.ts';
import type { JobRow } from './queries.ts';
import { shortResult } from './short-result.ts';
import { jobEvent, toJobOut } from './wire.ts';

const PUBLISH_INTERVAL_MS = 250;

export function createJobEvents(events: Pick<EventHub, 'publish'>) {
  const latestJobs = new Map<JobId, JobRow>();
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    for (const job of latestJobs.values())
      // only for superusers, because results contain paths
      events.publish(jobEvent, toJobOut({ ...job, result: shortResult(job.result) }), { audience: 'superuser' });
    latestJobs.clear();
  }

  function tick(): void {
    timer = undefined;
    if (latestJobs.size === 0) return;
    flush();
    timer = setTimeout(tick, PUBLISH_INTERVAL_MS).unref();
  }

  return {
    announce(job: JobRow | undefined): void {
      if (!job) return;
      latestJobs.set(job.id, job);
      if (!timer) tick();
    },
    flush,
    close(): void {
      clearTimeout(timer);
      flush();
    },
  };
}

export type JobEvents = ReturnType<typeof createJobEvents>;
