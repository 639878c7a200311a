// Saves the newest trusted time of the library in a file of the data folder, by which a wrong clock is recognized. It
// is not read from the database, where rows that were written while the clock was wrong would confirm the wrong time. A
// library without that file, of an earlier version or from a backup, uses the time of its newest row once.
import { z } from 'zod';
import type { MainDb } from '../db/client.ts';
import { readJsonFile, writeJsonFile } from '../config/json-file.ts';
import type { Log } from '../log/log.ts';
import { resetFutureTimes } from './future-times.ts';
import { createTimeForAges, type ClockState, type TimeForAges } from '../runtime/time-for-ages.ts';

const ClockFile = z.object({ time: z.iso.datetime(), doubted_ms: z.number().min(0).nullable() });

interface TimeForAgesDeps {
  db: MainDb;
  /** The file with the newest trusted time. */
  file: string;
  log: Log;
  now: () => Date;
  /** False if `now` is not the clock of the machine; elapsed time is then measured by `now`, too. */
  isSystemClock: boolean;
}

/** Opens the clock. Must be called before any row is written at this start. */
export function openClock({ db, file, log, now, isSystemClock }: TimeForAgesDeps): TimeForAges {
  return createTimeForAges({
    now,
    savedState: readClockFile(file, log) ?? newestRowTime(db),
    elapsedMs: isSystemClock ? () => performance.now() : () => now().getTime(),
    save({ timeMs, doubtedMs }): void {
      try {
        writeJsonFile(file, { time: new Date(timeMs).toISOString(), doubted_ms: doubtedMs && Math.round(doubtedMs) });
      } catch (err) {
        log.warn({ err }, 'the newest trusted time could not be saved');
      }
    },
    onCertain(clock): void {
      try {
        resetFutureTimes(db.$client, clock);
      } catch (err) {
        log.error({ err }, 'times that were written while the clock was wrong could not be reset');
      }
    },
    onDoubt: (clock, likelyTime) =>
      log.warn(
        { clock, last_known: likelyTime },
        'the clock may be wrong: nothing is deleted because of its age for a day',
      ),
  });
}

function readClockFile(file: string, log: Log): ClockState | undefined {
  try {
    const value = readJsonFile(file);
    if (Object.keys(value).length === 0) return undefined;
    const { time, doubted_ms: doubtedMs } = ClockFile.parse(value);
    return { timeMs: Date.parse(time), doubtedMs };
  } catch (err) {
    log.warn({ err }, 'the newest trusted time cannot be read: the time of the newest row is used');
    return undefined;
  }
}

function newestRowTime(db: MainDb): ClockState | undefined {
  const timeMs = db.$client
    .prepare<[], number | null>(
      `SELECT max(at) FROM (SELECT max(created_at) AS at FROM jobs UNION ALL SELECT max(finished_at) FROM jobs
        UNION ALL SELECT max(last_seen_at) FROM users UNION ALL SELECT max(deleted_at) FROM trashed_tracks)`,
    )
    .pluck()
    .get();
  return timeMs == null ? undefined : { timeMs, doubtedMs: null };
}
