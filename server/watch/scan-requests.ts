// Collects folders to scan. While a scan runs, new requests wait; all waiting folders become one scan.
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

/** Pause after the job queue did not accept a scan. */
const QUEUE_PAUSE_MS = 10_000;

export function createScanRequests({ jobs, log, checkMs }: ScanRequestsDeps) {
  const stop = new AbortController();
  let pendingFolders: string[] = [];
  let activeRun: Promise<void> | undefined;
  let isRunning = false;

  const addFolders = (folders: string[]): void => {
    pendingFolders = foldersToScan([...pendingFolders, ...folders]);
  };
  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal: stop.signal, ref: false });

  async function scanPendingFolders(): Promise<void> {
    isRunning = true;
    try {
      while (pendingFolders.length > 0 && !stop.signal.aborted) await scanFolders(pendingFolders.splice(0));
    } catch (error) {
      if (!stop.signal.aborted) log.error({ err: error }, 'scans of changed folders were not started');
    } finally {
      isRunning = false;
    }
  }

  async function scanFolders(folders: string[]): Promise<void> {
    const job = await jobs.tryEnqueue(SCAN_LOCAL_FOLDER, scanPayload({ folders }));
    if (!job?.created) addFolders(folders); // the running scan may have passed these folders already
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
    /** Requests a scan of these folders; paths are as in `scan-scope.ts`. */
    request(folders: string[]): void {
      addFolders(folders);
      if (!isRunning) activeRun = scanPendingFolders();
    },
    /** Drops waiting folders that match; a running scan continues. */
    forget: (matches: (folder: string) => boolean): void => {
      pendingFolders = pendingFolders.filter((folder) => !matches(folder));
    },
    async close(): Promise<void> {
      pendingFolders = [];
      stop.abort();
      await activeRun;
    },
  };
}
