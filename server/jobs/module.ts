import type { MainDb } from '../db/client.ts';
import type { EventHub } from '../events/hub.ts';
import { createActivity } from '../http/activity.ts';
import type { Log } from '../log/log.ts';
import type { TimeForAges } from '../runtime/time-for-ages.ts';
import { createMemoryRelease } from './release-memory.ts';
import { jobRoutes } from './routes.ts';
import { createJobs } from './service.ts';

/** Time that running jobs have at a stop until they are requeued. */
const GRACE_MS = 5_000;

interface JobsModuleDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  nowForAges: TimeForAges;
  events: EventHub;
}

export function jobsModule({ db, log, now, nowForAges, events }: JobsModuleDeps) {
  const activity = createActivity({ now });
  const jobs = createJobs({ db, log, now, nowForAges, events });
  const memoryRelease = createMemoryRelease({
    client: db.$client,
    isBusy: () => activity.isServing() || jobs.isWorking(),
  });
  return {
    offers: { jobs, activity, isServing: activity.isServing, isInUse: activity.isInUse },
    routes: jobRoutes(jobs),
    start: memoryRelease.start,
    stop(): Promise<void> {
      memoryRelease.stop();
      return jobs.close({ graceMs: GRACE_MS });
    },
  };
}
