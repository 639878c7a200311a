// Folders that are to be scanned. While a scan runs they wait, and all that wait become one scan.
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobId } from '../db/ids.ts';
import { AppError } from '../errors.ts';
import type { Jobs } from '../jobs/service.ts';
import type { Log } from '../log/log.ts';
import { foldersToScan } from '../files/folder-set.ts';
import { SCAN_LOCAL_FOLDER, scanPayload } from '../scan/tasks.ts';

interface ScanRequestsDeps {
  jobs: Pick<Jobs, 'tryEnqueue' | 'get'>;
  log: Log;
  /** How often to check whether a running scan has ended. */
  checkMs: number;
}

export type ScanRequests = ReturnType<typeof createScanRequests>;

/** After an error of the job queue. */
const QUEUE_PAUSE_MS = 10_000;

export function createScanRequests({ jobs, log, checkMs }: ScanRequestsDeps) {
  const stop = new AbortController();
  let waiting: string[] = [];
  let serving: Promise<void> | undefined;
  let isBusy = false;

  const add = (folders: string[]): void => {
    waiting = foldersToScan([...waiting, ...folders]);
  };
  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal: stop.signal, ref: false });

  async function serve(): Promise<void> {
    isBusy = true;
    try {
      while (waiting.length > 0 && !stop.signal.aborted) await scanAll(waiting.splice(0));
    } catch (error) {
      if (!stop.signal.aborted) log.error({ err: error }, 'scans of changed folders were not started');
    } finally {
      isBusy = false;
    }
  }

  async function scanAll(folders: string[]): Promise<void> {
    const job = await jobs.tryEnqueue(SCAN_LOCAL_FOLDER, scanPayload({ folders }));
    if (!job?.created) add(folders); // the running scan may be past them
    if (!job) return pause(QUEUE_PAUSE_MS);
    while (isUnfinished(job.id)) await pause(checkMs);
  }

  function isUnfinished(id: JobId): boolean {
    try {
      return jobs.get(id).finishedAt === null;
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return false;
      throw error;
    }
  }

  return {
    /** Folders to scan, as in `scan-scope.ts`. */
    ask(folders: string[]): void {
      add(folders);
      if (!isBusy) serving = serve();
    },
    /** Forgets some of what waits; a running scan goes on. */
    forget: (isMeant: (folder: string) => boolean): void => {
      waiting = waiting.filter((folder) => !isMeant(folder));
    },
    async close(): Promise<void> {
      waiting = [];
      stop.abort();
      await serving;
    },
  };
}
