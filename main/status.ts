// The state of the app as one value, from which tray, menus, task bar and notifications are drawn. Pure.
import type { PlayerReport, ServerState } from './ipc.ts';
import type { Job, Network, Scan } from './api-schemas.ts';

export interface Work {
  id: number;
  task: string;
  done: number;
  total: number | null;
}

export interface Status {
  server: ServerState;
  /** It runs, but does not answer. */
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

/** Jobs worth showing; the many small ones are not. */
export const SHOWN_TASKS = [
  'scan_local_folder',
  'enrich_library',
  'backup_task',
  'check_backup',
  'export_task',
  'verify_storage',
  'import_history',
] as const;
export type ShownTask = (typeof SHOWN_TASKS)[number];
export const isShownTask = (task: string): task is ShownTask => SHOWN_TASKS.some((shown) => shown === task);

export const isOpen = ({ status }: Job): boolean => status === 'queued' || status === 'running' || status === 'waiting';

export function withJob(work: readonly Work[], job: Job): readonly Work[] {
  if (!isShownTask(job.task)) return work;
  const before = work.find(({ id }) => id === job.id);
  if (!isOpen(job)) return before ? work.filter((one) => one !== before) : work;
  const now: Work = {
    id: job.id,
    task: job.task,
    done: job.progress?.done ?? before?.done ?? 0,
    total: job.progress?.total ?? before?.total ?? null,
  };
  return before ? work.map((one) => (one === before ? now : one)) : [...work, now];
}

/** Scan events are more frequent, and more exact, than those of its job. */
export function withScan(work: readonly Work[], { job_id, phase, files_done, files_total }: Scan): readonly Work[] {
  if (phase === 'done') return work;
  const now: Work = { id: job_id, task: 'scan_local_folder', done: files_done, total: files_total };
  return work.some(({ id }) => id === job_id) ? work.map((one) => (one.id === job_id ? now : one)) : [...work, now];
}

/** An event without `locked_because` leaves the lock as it was. */
export const withNetwork = (before: Status['sharing'], { shared, locked_because }: Network): Status['sharing'] => ({
  isOn: shared,
  isLocked: locked_because === undefined ? (before?.isLocked ?? false) : locked_because !== null,
});

/**
 * 0..1 over the jobs whose end is known: one that waits, or still counts, does not hide how far the others are. Null
 * when the end of none is known, undefined when there is none.
 */
export function progressOf(work: readonly Work[]): number | null | undefined {
  if (work.length === 0) return undefined;
  const [done, total] = work.reduce(
    ([done, total], one) => (one.total ? [done + one.done, total + one.total] : [done, total]),
    [0, 0],
  );
  return total === 0 ? null : Math.min(1, done / total);
}

export const isSounding = ({ player }: Status): boolean => player?.status === 'playing' || player?.status === 'loading';

/** There is an account, and the server acts for it. */
export const isSetUp = ({ server, isSignedIn }: Status): boolean => server === 'running' && isSignedIn;
