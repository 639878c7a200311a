// When the work that protects a library last went well, for monitoring.
import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import type { WatchedWork } from '../http/health.ts';

/** Tasks by the name under which monitoring sees them. */
const TASKS = { scan: 'scan_local_folder', backup: 'backup_task', backup_check: 'check_backup' } as const;

/**
 * Returns the end of the newest success of each work; null if there is none, or only one that the list of jobs has
 * forgotten. A backup that lacks files and a check that found losses are no successes.
 */
export function readLastSuccesses(db: Db): Record<WatchedWork, Date | null> {
  const lastSuccess = (task: string): Date | null => {
    const row = db.get<{ at: number } | undefined>(
      sql`SELECT finished_at AS at FROM jobs WHERE task = ${task} AND status = 'succeeded'
        AND coalesce(result ->> '$.absent', 0) = 0 AND coalesce(result ->> '$.lost', 0) = 0
        ORDER BY id DESC LIMIT 1`,
    );
    return row ? new Date(row.at) : null;
  };
  return {
    scan: lastSuccess(TASKS.scan),
    backup: lastSuccess(TASKS.backup),
    backup_check: lastSuccess(TASKS.backup_check),
  };
}
