// Daily backups at a local time. A backup that was missed while the server was off is made at the next start.

/** Returns the latest time up to `now` at which a backup was due. `schedule` is `hh:mm` in the server's time zone. */
export function lastDue(schedule: string, now: Date): Date {
  const dueTime = atTime(schedule, now, 0);
  return dueTime > now ? atTime(schedule, now, -1) : dueTime;
}

export function nextDue(schedule: string, now: Date): Date {
  const dueTime = atTime(schedule, now, 0);
  return dueTime > now ? dueTime : atTime(schedule, now, 1);
}

/** A time in the future by less than this is a small correction of the clock, not a wrong clock. */
const MAX_CLOCK_CORRECTION_MS = 3_600_000;

/**
 * Returns whether a backup is due. `since` is when the last backup started, or when the schedule was set. If `since` is
 * in the future, it was written with a wrong clock, and the backup is due.
 */
export const isDue = (schedule: string, since: Date, now: Date): boolean =>
  since.getTime() - now.getTime() > MAX_CLOCK_CORRECTION_MS || lastDue(schedule, now) > since;

function atTime(schedule: string, day: Date, addedDays: number): Date {
  const [hours = 0, minutes = 0] = schedule.split(':').map(Number);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + addedDays, hours, minutes);
}
