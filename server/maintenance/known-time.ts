// Doubts a clock by the newest time that the library knows. That is kept in a file of the data folder and not found in
// the database, where rows that were written while the clock was wrong would make it true. A library that has no such
// file yet, of an earlier version or from a backup, goes by its rows once.
import { z } from 'zod';
import type { MainDb } from '../db/client.ts';
import { readJsonFile, writeJsonFile } from '../config/json-file.ts';
import type { Log } from '../log/log.ts';
import { forgetFutureTimes } from './future-times.ts';
import { createTimeForAges, type KnownTime, type TimeForAges } from '../runtime/time-for-ages.ts';

const Kept = z.object({ time: z.iso.datetime(), doubted_ms: z.number().min(0).nullable() });

interface TimeForAgesDeps {
  db: MainDb;
  /** The file in which the known time is kept. */
  file: string;
  log: Log;
  now: () => Date;
  /** `now` is the clock of the machine; else nothing else tells how much time has gone by. */
  isOwnClock: boolean;
}

/** To be called before anything is written at this start. */
export function timeForAges({ db, file, log, now, isOwnClock }: TimeForAgesDeps): TimeForAges {
  return createTimeForAges({
    now,
    lastKnown: keptTime(file, log) ?? newestRow(db),
    elapsedMs: isOwnClock ? () => performance.now() : () => now().getTime(),
    keep({ timeMs, doubtedMs }): void {
      try {
        writeJsonFile(file, { time: new Date(timeMs).toISOString(), doubted_ms: doubtedMs && Math.round(doubtedMs) });
      } catch (err) {
        log.warn({ err }, 'the time that the library knows could not be written down');
      }
    },
    onCertain(clock): void {
      try {
        forgetFutureTimes(db.$client, clock);
      } catch (err) {
        log.error({ err }, 'what was put off while the clock was wrong waits until then');
      }
    },
    onDoubt: (clock, believed) =>
      log.warn({ clock, last_known: believed }, 'the clock may be wrong: nothing is deleted for its age for a day'),
  });
}

function keptTime(file: string, log: Log): KnownTime | undefined {
  try {
    const value = readJsonFile(file);
    if (Object.keys(value).length === 0) return undefined;
    const { time, doubted_ms: doubtedMs } = Kept.parse(value);
    return { timeMs: Date.parse(time), doubtedMs };
  } catch (err) {
    log.warn({ err }, 'the time that the library knows cannot be read: the newest row tells it');
    return undefined;
  }
}

function newestRow(db: MainDb): KnownTime | undefined {
  const timeMs = db.$client
    .prepare<[], number | null>(
      `SELECT max(at) FROM (SELECT max(created_at) AS at FROM jobs UNION ALL SELECT max(finished_at) FROM jobs
        UNION ALL SELECT max(last_seen_at) FROM users UNION ALL SELECT max(deleted_at) FROM trashed_tracks)`,
    )
    .pluck()
    .get();
  return timeMs == null ? undefined : { timeMs, doubtedMs: null };
}
