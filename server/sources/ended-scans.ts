// Reads past scans of the music folder from their jobs. Dry runs are left out, because they change nothing.
import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import type { JobId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { jobs, JobStatus } from '../db/schema.ts';

export interface EndedScan {
  jobId: JobId;
  status: JobStatus;
  finishedAt: Date;
  /** The scanned folders, relative to the music folder; '' is the music folder itself. */
  folders: string[];
  /** The job's result without its long lists; null if the scan did not succeed. */
  result: unknown;
}

interface Row extends RowAs<typeof jobs, 'status'> {
  jobId: JobId;
  finishedAt: number;
  paths: string | null;
  result: string | null;
}

/** SQL that uses the index on task and id, newest first, so that the first match ends the search. */
const SCANS_SQL = sql`FROM jobs WHERE task = 'scan_local_folder' AND payload ->> '$.dryRun' IS NULL`;

export function createEndedScans(db: Db) {
  return {
    latest(): EndedScan | null {
      const row = db.get<
        Row | undefined
      >(sql`SELECT id AS jobId, status, finished_at AS finishedAt, payload ->> '$.paths' AS paths,
        json_remove(result, '$.failed', '$.skipped', '$.changing') AS result ${SCANS_SQL} AND finished_at IS NOT NULL
        ORDER BY id DESC LIMIT 1`);
      if (!row) return null;
      const { jobId, status, finishedAt, paths, result } = row;
      return {
        jobId,
        status,
        finishedAt: new Date(finishedAt),
        folders: paths === null ? [''] : (JSON.parse(paths) as string[]),
        result: result === null ? null : (JSON.parse(result) as unknown),
      };
    },

    goodAt(): Date | null {
      const row = db.get<{ at: number } | undefined>(
        sql`SELECT finished_at AS at ${SCANS_SQL} AND status = 'succeeded' ORDER BY id DESC LIMIT 1`,
      );
      return row ? new Date(row.at) : null;
    },

    /** Returns the music folder of the last successful scan; undefined before the first scan. */
    folder(): string | undefined {
      const row = db.get<{ path: string | null } | undefined>(
        sql`SELECT result ->> '$.path' AS path ${SCANS_SQL} AND status = 'succeeded' ORDER BY id DESC LIMIT 1`,
      );
      return row?.path ?? undefined;
    },
  };
}
