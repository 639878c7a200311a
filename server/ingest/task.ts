// The scan of the music folder as a background task.
import type { LiveSettings } from '../config/live-settings.ts';
import type { EventHub } from '../events/hub.ts';
import { AppError } from '../errors.ts';
import type { Jobs } from '../jobs/service.ts';
import { permanent, type Handler } from '../jobs/tasks.ts';
import type { Claims } from '../storage/claims.ts';
import { folderProblem, scan, type ScanDeps } from './scan.ts';
import type { ScanProgress, ScanResult } from './wire.ts';

export interface ScanTaskDeps extends ScanDeps {
  settings: LiveSettings;
  claims: Pick<Claims, 'claimAll'>;
  storageRoot: string;
  events: EventHub;
  jobs: Pick<Jobs, 'tryEnqueue'>;
  /** Tells the windows that lists changed; throttled there. */
  libraryChanged: () => void;
}

const COVERS_AFTER_MS = 2_000;

/** Handler of `scan_local_folder`. */
export function scanTask(deps: ScanTaskDeps): Handler<'scan_local_folder'> {
  return async ({ path = '', restore = false }, { jobId, signal, progress }) => {
    const importPath = deps.settings.get('LOCAL_MEDIA_IMPORT_PATH');
    if (!importPath) throw permanent(new AppError('conflict', 'No music folder is set (LOCAL_MEDIA_IMPORT_PATH).'));
    const publish = (data: Omit<ScanProgress, 'job_id'>): void => { deps.events.publish('scan', { job_id: jobId, ...data }, { audience: 'superuser' }); };
    let coversAt = deps.now().getTime() + COVERS_AFTER_MS;

    const mode = deps.settings.get('LOCAL_MEDIA_IMPORT_MODE');
    const run = (): Promise<ScanResult> => scan(deps, {
      importPath, mode, storageRoot: deps.storageRoot, below: path, restore, signal,
      onProgress: (data) => {
        publish(data);
        progress(data.files_done, data.files_total, data.current ?? undefined);
      },
      onCommit: () => {
        deps.libraryChanged();
        if (deps.now().getTime() < coversAt) return;
        coversAt = deps.now().getTime() + COVERS_AFTER_MS; // covers appear while the scan goes on
        void deps.jobs.tryEnqueue('cover_task', {});
      },
    });
    const result = mode === 'copy' ? await deps.claims.claimAll(run) : await run(); // copies are there before their rows are
    const { files, added, updated, moved, failed_count: failed, unchanged } = result;
    publish({ phase: 'done', files_seen: files, files_done: added + updated + moved + failed + unchanged, files_total: files, added, updated, failed, files_per_second: Math.round(files / Math.max(0.001, result.duration_ms / 1000)), eta_ms: 0, current: null });
    progress(files, files);
    deps.libraryChanged();
    if (added + updated + moved > 0) await deps.jobs.tryEnqueue('cover_task', {});
    return result;
  };
}

/** Before a scan is queued: 409 without a folder, 503 when it cannot be read. */
export async function assertScannable(settings: LiveSettings): Promise<void> {
  const path = settings.get('LOCAL_MEDIA_IMPORT_PATH');
  if (!path) throw new AppError('conflict', 'No music folder is set. Choose one in the settings (LOCAL_MEDIA_IMPORT_PATH).');
  const problem = await folderProblem(path);
  if (problem) throw new AppError('unavailable', problem);
}
