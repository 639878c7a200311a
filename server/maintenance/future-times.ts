// Resets times that were written while the clock was ahead: a job, or a look-up, would otherwise wait for years.
import type { Sqlite } from '../db/client.ts';

const DAY_MS = 86_400_000;
/** No job or look-up is postponed for longer than this. */
const YEAR_MS = 366 * DAY_MS;

/**
 * Columns with the time of the next attempt, which may be ahead of the clock, or of the last attempt, which may not.
 */
const TIME_COLUMNS = [
  { table: 'jobs', column: 'run_at', mayBeAheadMs: DAY_MS },
  { table: 'downloads', column: 'next_attempt_at', mayBeAheadMs: DAY_MS },
  { table: 'cover_lookups', column: 'retry_at', mayBeAheadMs: YEAR_MS },
  { table: 'about_subjects', column: 'due_at', mayBeAheadMs: YEAR_MS },
  { table: 'artist_identities', column: 'due_at', mayBeAheadMs: YEAR_MS },
  { table: 'audio_analyses', column: 'retry_at', mayBeAheadMs: YEAR_MS },
  { table: 'podcasts', column: 'checked_at', mayBeAheadMs: 0 },
  { table: 'verify_runs', column: 'started_at', mayBeAheadMs: 0 },
  { table: 'enrichment_unanswered', column: 'asked_at', mayBeAheadMs: 0 },
  { table: 'lyrics_lookups', column: 'asked_at', mayBeAheadMs: 0 },
];

export const resetFutureTimes = (client: Sqlite, now: Date): void =>
  client
    .transaction(() => {
      for (const { table, column, mayBeAheadMs } of TIME_COLUMNS)
        client
          .prepare(`UPDATE ${table} SET ${column} = @now WHERE ${column} > @now + @mayBeAheadMs`)
          .run({ now: now.getTime(), mayBeAheadMs });
    })
    .immediate();
