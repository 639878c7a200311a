// The state of the app as one value, from which tray, menus, task bar and notifications are drawn. Pure.
import type { PlayerReport, ServerState } from './ipc.ts';
import type { Job, Network, Scan } from './api-schemas.ts';

export interface Work {
  id: number;
  task: ShownTask;
  done: number;
  total: number | null;
  /**
   * True for a job that has ended while others continue. The job still counts, because the total progress would
   * otherwise go back with each download that ends.
   */
  isOver?: true;
}

export interface Status {
  server: ServerState;
  /** Whether the server runs but does not respond. */
  isHung: boolean;
  /** Whether the app is signed in as the owner; false until the first account exists. */
  isSignedIn: boolean;
  /** Whether the library is shared, and whether this can be changed; null while unknown. */
  sharing: { isOn: boolean; isLocked: boolean } | null;
  player: PlayerReport | null;
  isPlayerOnTop: boolean;
  /** Displayed jobs, oldest first. */
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

/** Tasks whose jobs are displayed, and the unit of their progress; the many small jobs are not displayed. */
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
/** Returns whether the job is a download; downloads come in large numbers, most of them queued. */
const isDownload = ({ task }: Work): boolean => task === 'download_task' || task === 'download_episode';

export const isOpen = ({ status }: Job): boolean => status === 'queued' || status === 'running' || status === 'waiting';

export function withJob(work: readonly Work[], job: Job): readonly Work[] {
  if (!isShownTask(job.task)) return work;
  const previous = work.find(({ id }) => id === job.id);
  if (!isOpen(job)) {
    if (!previous || previous.isOver) return work;
    const otherWork = work.map((entry): Work => (entry === previous ? { ...entry, isOver: true } : entry));
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

/** Applies a scan event; scan events are more frequent and more exact than events of the scan's job. */
export function withScan(work: readonly Work[], { job_id, phase, files_done, files_total }: Scan): readonly Work[] {
  if (phase === 'done') return work;
  const current: Work = { id: job_id, task: 'scan_local_folder', done: files_done, total: files_total };
  return work.some(({ id }) => id === job_id)
    ? work.map((entry) => (entry.id === job_id ? current : entry))
    : [...work, current];
}

/** Applies a change of the network; an event without `locked_because` does not change the lock. */
export const withNetwork = (previous: Status['sharing'], { shared, locked_because }: Network): Status['sharing'] => ({
  isOn: shared,
  isLocked: locked_because === undefined ? (previous?.isLocked ?? false) : locked_because !== null,
});

export const underWay = (work: readonly Work[]): Work[] => work.filter(({ isOver }) => !isOver);

/** Returns the progress from 0 to 1; null while the total is unknown. */
function progressOfJob(job: Work): number | null {
  if (job.isOver) return 1;
  if (job.total) return Math.min(1, job.done / job.total);
  return isDownload(job) ? 0 : null;
}

/**
 * Returns the mean progress of the jobs whose total is known, 0 to 1, so that a waiting job does not hide the progress
 * of the others. Null if no total is known, undefined without jobs.
 */
export function progressOf(work: readonly Work[]): number | null | undefined {
  if (work.length === 0) return undefined;
  const parts = work.map(progressOfJob).filter((progress) => progress !== null);
  return parts.length === 0 ? null : parts.reduce((sum, progress) => sum + progress, 0) / parts.length;
}

export const isSounding = ({ player }: Status): boolean => player?.status === 'playing' || player?.status === 'loading';

/** Returns whether an account exists and the app is signed in to its running server. */
export const isSetUp = ({ server, isSignedIn }: Status): boolean => server === 'running' && isSignedIn;
