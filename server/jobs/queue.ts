// One better-queue per task, which limits how many jobs of the task run at a time. A queue holds only jobs that are due
// and about to run. Which jobs exist, and when each is due, is stored in the rows of `jobs` alone, where retries
// (attempts.ts) and restarts find them.
import BetterQueue from 'better-queue';
// @ts-expect-error -- the package has no types
import UntypedMemoryStore from 'better-queue-memory';
import type { JobId } from '../db/ids.ts';
import type { Log } from '../log/log.ts';

/** better-queue would look for it by its name, in packages that the built server is without. */
const MemoryStore = UntypedMemoryStore as new () => BetterQueue.Store<{ id: JobId }>;

const FAULT_PAUSE_MS = 1_000;
/** The clock may be set, and the machine may sleep. */
const MAX_TIMER_MS = 60_000;

interface TaskQueueDeps {
  log: Log;
  now: () => Date;
  name: string;
  concurrency: number;
  /** The first jobs of the task that are due, the longest due first. */
  findDue: (limit: number) => JobId[];
  /** Returns the time, in ms, at which the next waiting job of the task will be due. */
  findNextDue: () => number | undefined;
  /** Runs one attempt to its end. A job that was cancelled or has ended meanwhile is left alone. */
  run: (id: JobId) => Promise<void>;
}

export type TaskQueue = ReturnType<typeof createTaskQueue>;

export function createTaskQueue({ log, now, name, concurrency, findDue, findNextDue, run }: TaskQueueDeps) {
  /** Jobs that better-queue has and that have not ended: at most `concurrency`. */
  const takenIds = new Set<JobId>();
  let isPaused = false;
  let timer: NodeJS.Timeout | undefined;

  const queue = new BetterQueue<{ id: JobId }, void>({
    concurrent: concurrency,
    store: new MemoryStore(),
    // Always reports success, because better-queue's own retries exist only in memory.
    process: ({ id }: { id: JobId }, done) => void execute(id).finally(done),
  });
  queue.on('error', (error) => log.error({ task: name, err: error as unknown }, 'queue'));

  async function execute(id: JobId): Promise<void> {
    try {
      if (!isPaused) await run(id);
    } catch (error) {
      log.error({ task: name, job_id: id, err: error }, 'job could not be run');
    } finally {
      takenIds.delete(id);
      wake();
    }
  }

  /** Takes what is due and may run now; comes back by itself when the next job is due. */
  function wake(): void {
    if (isPaused || takenIds.size === concurrency) return; // whatever ends next wakes it
    try {
      // jobs that were taken but have not started are found again
      for (const id of findDue(concurrency)) {
        if (takenIds.size === concurrency) return;
        if (takenIds.has(id)) continue;
        takenIds.add(id);
        queue.push({ id });
      }
      const nextDue = findNextDue();
      if (nextDue !== undefined) wakeIn(nextDue - now().getTime());
    } catch (error) {
      log.warn({ task: name, err: error }, 'queue could not take a job');
      wakeIn(FAULT_PAUSE_MS);
    }
  }

  function wakeIn(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(wake, Math.min(MAX_TIMER_MS, Math.max(0, ms))).unref();
  }

  wake();

  return {
    /** To be called when a job of the task was stored, or became due earlier. */
    wake,

    /** Stops taking jobs. */
    pause(): void {
      isPaused = true;
      queue.pause();
      clearTimeout(timer);
    },
  };
}
