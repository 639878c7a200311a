// The state of the app as one value, from which tray, menus, task bar and notifications are drawn. Pure.
import type { PlayerReport, ServerState } from './ipc.ts';
import type { Job, Network, Scan } from './api-schemas.ts';

export interface Work {
  id: number;
  task: ShownTask;
  done: number;
  total: number | null;
  /**
   * The job has ended while others continue: it still counts, or the progress would go back with each download that
   * ends.
   */
  isOver?: true;
}

export interface Status {
  server: ServerState;
  /** The server runs, but does not answer. */
  isHung: boolean;
  /** Whether there is an owner to act for: not before the first account is created. */
  isSignedIn: boolean;
  /** Whether the library is shared, and whether a switch may change that; null while unknown. */
  sharing: { isOn: boolean; isLocked: boolean } | null;
  player: PlayerReport | null;
  isPlayerOnTop: boolean;
  /** Oldest first. */
  work: readonly Work[];
}

export const initialStatus: Status = {
  server: 'starting',
  isHung: false,
  isSignedIn: false,
  sharing: null,
  player: null,
  isPlayerOnTop: false,
  work: [],
};

/** Jobs worth showing, with what their progress counts; the many small ones are not. */
const SHOWN_TASKS = {
  scan_local_folder: 'items',
  enrich_library: 'items',
  backup_task: 'items',
  check_backup: 'bytes',
  export_task: 'items',
  verify_storage: 'items',
  import_history: 'bytes',
  download_task: 'bytes',
  download_episode: 'bytes',
} as const;
type ShownTask = keyof typeof SHOWN_TASKS;
const isShownTask = (task: string): task is ShownTask => Object.hasOwn(SHOWN_TASKS, task);
export const countsBytes = ({ task }: Work): boolean => SHOWN_TASKS[task] === 'bytes';
/** These jobs come in large numbers, most of them queued. */
const isDownload = ({ task }: Work): boolean => task === 'download_task' || task === 'download_episode';

export const isOpen = ({ status }: Job): boolean => status === 'queued' || status === 'running' || status === 'waiting';

export function withJob(work: readonly Work[], job: Job): readonly Work[] {
  if (!isShownTask(job.task)) return work;
  const previous = work.find(({ id }) => id === job.id);
  if (!isOpen(job)) {
    if (!previous || previous.isOver) return work;
    const otherWork = work.map((one): Work => (one === previous ? { ...one, isOver: true } : one));
    return otherWork.every(({ isOver }) => isOver) ? [] : otherWork;
  }
  const current: Work = {
    id: job.id,
    task: job.task,
    done: job.progress?.done ?? previous?.done ?? 0,
    total: job.progress?.total ?? previous?.total ?? null,
  };
  return previous ? work.map((entry) => (entry === previous ? current : entry)) : [...work, current];
}

/** Scan events are more frequent, and more exact, than the events of the scan's job. */
export function withScan(work: readonly Work[], { job_id, phase, files_done, files_total }: Scan): readonly Work[] {
  if (phase === 'done') return work;
  const current: Work = { id: job_id, task: 'scan_local_folder', done: files_done, total: files_total };
  return work.some(({ id }) => id === job_id)
    ? work.map((entry) => (entry.id === job_id ? current : entry))
    : [...work, current];
}

/** An event without `locked_because` leaves the lock as it was. */
export const withNetwork = (previous: Status['sharing'], { shared, locked_because }: Network): Status['sharing'] => ({
  isOn: shared,
  isLocked: locked_because === undefined ? (previous?.isLocked ?? false) : locked_because !== null,
});

export const underWay = (work: readonly Work[]): Work[] => work.filter(({ isOver }) => !isOver);

/** Returns 0 to 1; null while the end is unknown. */
function progressOfJob(job: Work): number | null {
  if (job.isOver) return 1;
  if (job.total) return Math.min(1, job.done / job.total);
  return isDownload(job) ? 0 : null;
}

/**
 * Returns the mean progress of the jobs whose end is known, 0 to 1: a waiting or counting job does not hide how far the
 * others are. Null when the end of none is known, undefined without jobs.
 */
export function progressOf(work: readonly Work[]): number | null | undefined {
  if (work.length === 0) return undefined;
  const parts = work.map(progressOfJob).filter((part) => part !== null);
  return parts.length === 0 ? null : parts.reduce((sum, part) => sum + part, 0) / parts.length;
}

export const isSounding = ({ player }: Status): boolean => player?.status === 'playing' || player?.status === 'loading';

/** There is an account, and the server acts for it. */
export const isSetUp = ({ server, isSignedIn }: Status): boolean => server === 'running' && isSignedIn;
