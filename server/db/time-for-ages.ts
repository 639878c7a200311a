// Doubts a clock by the newest time that the library knows.
import type { MainDb } from './client.ts';
import type { Log } from '../log/log.ts';
import { createTimeForAges, type TimeForAges } from '../runtime/time-for-ages.ts';

interface TimeForAgesDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  /** `now` is the clock of the machine; else nothing else tells how much time has gone by. */
  isOwnClock: boolean;
}

/** To be called before anything is written at this start. */
export function timeForAges({ db, log, now, isOwnClock }: TimeForAgesDeps): TimeForAges {
  const lastKnownMs = db.$client
    .prepare<[], number | null>(
      `SELECT max(at) FROM (SELECT max(created_at) AS at FROM jobs UNION ALL SELECT max(finished_at) FROM jobs
        UNION ALL SELECT max(last_seen_at) FROM users UNION ALL SELECT max(deleted_at) FROM trashed_tracks)`,
    )
    .pluck()
    .get();
  return createTimeForAges({
    now,
    lastKnown: lastKnownMs == null ? undefined : new Date(lastKnownMs),
    elapsedMs: isOwnClock ? () => performance.now() : () => now().getTime(),
    onDoubt: (clock, believed) =>
      log.warn({ clock, last_known: believed }, 'the clock may be wrong: nothing is deleted for its age for a day'),
  });
}
