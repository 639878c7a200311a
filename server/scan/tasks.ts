// Runs scans of the music folders as background jobs.
import { hash } from 'node:crypto';
import { z } from 'zod';
import type { MusicFolders } from '../config/music-folders.ts';
import type { EventHub } from '../events/hub.ts';
import { AppError, isDatabaseLocked } from '../errors.ts';
import { readMusicFolder } from '../files/music-folder.ts';
import type { Jobs } from '../jobs/service.ts';
import { permanent, task, type Handler } from '../jobs/tasks.ts';
import type { Leases } from '../storage/leases.ts';
import { StorageUnavailable } from './copies/store-copies.ts';
import { scan } from './scan.ts';
import type { ScanDeps, ScanOptions } from './scan-context.ts';
import type { ScanProgress, ScanResult } from './wire.ts';
import { scanEvent } from './wire.ts';
import { COVER_TASK } from '../covers/tasks.ts';
import { ENRICH_LIBRARY } from '../enrichment/tasks.ts';
import type { COMPARE_GONE } from '../library/tasks.ts';

/**
 * Scans the music folders, or folders below them. `restore` also restores deleted tracks, `reread` also reads files
 * that look unchanged, and `dryRun` only lists what would change. The job is tried again, for a day, only while the
 * object store for copies is down.
 */
export const SCAN_LOCAL_FOLDER = task('scan_local_folder', {
  payload: z.strictObject({
    paths: z.array(z.string()).optional(),
    restore: z.boolean().optional(),
    reread: z.boolean().optional(),
    dryRun: z.boolean().optional(),
  }),
  attempts: 150,
  backoff: { firstMs: 10_000, factor: 3, capMs: 600_000 },
  // unique per payload, since a running scan may already have passed the folder that another request names
  uniqueBy: (payload) => hash('sha256', JSON.stringify(payload)),
  isAskedByChanges: true,
  concurrency: 1,
});

interface ScanRequest {
  /** Folders as `findScanFolders` returns them; none, or [''], means all music folders. */
  folders: string[];
  restore?: boolean;
  reread?: boolean;
  dryRun?: boolean;
}
type Payload = z.input<(typeof SCAN_LOCAL_FOLDER)['payload']>;

/** Returns the payload of the job. Equal requests have equal payloads, so that the same scan is not queued twice. */
export const scanPayload = ({ folders, restore = false, reread = false, dryRun = false }: ScanRequest): Payload => ({
  ...(folders.some((folder) => folder !== '') && { paths: folders.toSorted() }),
  ...(restore && { restore }),
  ...(reread && { reread }),
  ...(dryRun && { dryRun }),
});

export interface ScanTaskDeps extends ScanDeps {
  musicFolders: MusicFolders;
  leases: Pick<Leases, 'leaseAll'>;
  events: EventHub;
  jobs: Pick<Jobs, 'tryEnqueue' | 'list'>;
  /** Tells clients that lists changed; the calls are throttled there. */
  libraryChanged: () => void;
  /** Returns whether somebody uses the server, and may look at covers. */
  isServing: () => boolean;
  /** Called when tracks were added or renamed. */
  onNewTracks?: () => void;
}

const COVER_INTERVAL_MS = 2_000;

/** Creates the handler of `scan_local_folder`. */
export function scanTask(deps: ScanTaskDeps): Handler<typeof SCAN_LOCAL_FOLDER> {
  return async ({ paths = [], restore = false, reread = false, dryRun = false }, { jobId, signal, progress }) => {
    if (dryRun)
      return previewScan(deps, {
        folders: paths,
        restore,
        reread,
        signal,
        onProgress: (data) => progress(data.files_done, data.files_total, data.current ?? undefined),
      });
    const publish = (data: Omit<ScanProgress, 'job_id'>): void => {
      deps.events.publish(scanEvent, { job_id: jobId, ...data }, { audience: 'superuser' });
    };
    let nextCoverTime = deps.now().getTime() + COVER_INTERVAL_MS;
    let hasWritten = false;

    const folderOptions = foldersOf(deps);
    const runScan = (): Promise<ScanResult> =>
      scan(deps, {
        ...folderOptions,
        folders: paths,
        restore,
        reread,
        dryRun: false,
        signal,
        onProgress: (data) => {
          publish(data);
          progress(data.files_done, data.files_total, data.current ?? undefined);
        },
        onCommit: () => {
          hasWritten = true;
          deps.libraryChanged();
          if (deps.now().getTime() < nextCoverTime || !deps.isServing()) return;
          // covers are found during the scan, so that users see them before it ends
          nextCoverTime = deps.now().getTime() + COVER_INTERVAL_MS;
          void deps.jobs.tryEnqueue(COVER_TASK, {});
        },
      });
    // runs also after a scan that was cancelled, or did not copy all files; new and changed tracks are `pending`
    const followUp = async (): Promise<void> => {
      if (!hasWritten) return;
      await deps.jobs.tryEnqueue(ENRICH_LIBRARY, { scope: 'pending', askedAt: deps.now().getTime() });
      await deps.jobs.tryEnqueue(COVER_TASK, {}); // there may be new pictures even if there are no new tracks
    };
    const result = await (
      folderOptions.musicFolders.some(({ mode }) => mode === 'copy') ? deps.leases.leaseAll(runScan) : runScan()
    )
      .finally(followUp)
      .catch((error: unknown) => {
        throw error instanceof StorageUnavailable || isDatabaseLocked(error) || signal.aborted
          ? error
          : permanent(error);
      });
    const { files, added, updated, failed_count: failedCount } = result;
    publish({
      phase: 'done',
      files_seen: files,
      files_done: files,
      files_total: files,
      added,
      updated,
      failed: failedCount,
      files_per_second: Math.round(files / Math.max(0.001, result.duration_ms / 1000)),
      eta_ms: 0,
      current: null,
      music_folders: [],
    });
    progress(files, files);
    deps.libraryChanged();
    if (added + updated > 0) deps.onNewTracks?.();
    return result;
  };
}

/** Compares gone tracks again; a running scan does this at its end instead. */
export const compareGoneTask =
  ({ goneTrackFinder, jobs, musicFolders, now, libraryChanged }: ScanTaskDeps): Handler<typeof COMPARE_GONE> =>
  async (_, { signal }) => {
    if (jobs.list({ task: SCAN_LOCAL_FOLDER.name, status: 'running' }, { limit: 1, offset: 0 }).total > 0)
      return goneTrackFinder.postponeToScan();
    const { joinedIds, upgradedIds } = await goneTrackFinder.compareAgain({
      root: musicFolders.roots(),
      signal,
      now: now(),
    });
    if (joinedIds.length + upgradedIds.length > 0) libraryChanged();
    return { joined: joinedIds.length, upgraded: upgradedIds.length };
  };

function foldersOf({
  musicFolders,
  libraryChanged,
}: ScanTaskDeps): Pick<ScanOptions, 'musicFolders' | 'roots' | 'onFoldersChecked'> {
  const list = musicFolders.list();
  if (list.length === 0) throw permanent(new AppError('conflict', 'No music folder is set.'));
  const onFoldersChecked = (offline: ReadonlyMap<string, string>): void => {
    if (musicFolders.setOffline(offline)) libraryChanged();
  };
  return { musicFolders: list, roots: musicFolders.roots(), onFoldersChecked };
}

export type PreviewRequest = Pick<ScanOptions, 'folders' | 'restore' | 'reread' | 'signal' | 'onProgress'>;

/** Returns what a scan would change. Publishes no events, since nothing changes in the library. */
export const previewScan = (deps: ScanTaskDeps, request: PreviewRequest): Promise<ScanResult> =>
  scan(deps, {
    ...request,
    ...foldersOf(deps),
    dryRun: true,
    onCommit: () => {},
  });

/** Throws `conflict` when no folder is configured, and `unavailable` when none can be read. */
export async function assertScannable(musicFolders: MusicFolders): Promise<void> {
  const list = musicFolders.list();
  if (list.length === 0) throw new AppError('conflict', 'No music folder is set. Choose one in the settings.');
  const results = await Promise.allSettled(list.map(({ path }) => readMusicFolder(path)));
  const [firstResult] = results;
  if (firstResult?.status === 'rejected' && results.every(({ status }) => status === 'rejected'))
    throw firstResult.reason;
}
