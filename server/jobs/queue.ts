// One better-queue per task, which limits how many jobs of the task run at a time. A queue contains only jobs that are
// due and about to run. Which jobs exist, and when each is due, is stored only in the rows of `jobs`, where retries
// (attempts.ts) and restarts find them.
import BetterQueue from 'better-queue';
// @ts-expect-error -- the package has no types
import UntypedMemoryStore from 'better-queue-memory';
import type { JobId } from '../db/ids.ts';
import type { Log } from '../log/log.ts';

/**
 * The store is passed as a class: by its name, better-queue would look for it in node_modules, which the built server
 * does not have.
 */
const MemoryStore = UntypedMemoryStore as new () => BetterQueue.Store<{ id: JobId }>;

const FAULT_PAUSE_MS = 1_000;
/** Timers are never longer than this, because the clock may be changed and the machine may sleep. */
const MAX_TIMER_MS = 60_000;

interface TaskQueueDeps {
  log: Log;
  now: () => Date;
  name: string;
  concurrency: number;
  /** Returns the first due jobs of the task, beginning with the one that has been due for the longest time. */
  findDue: (limit: number) => JobId[];
  /** Returns the time, in ms, at which the next waiting job of the task will be due. */
  findNextDue: () => number | undefined;
  /** Runs one attempt to its end. Does nothing for a job that was cancelled or has ended. */
  run: (id: JobId) => Promise<void>;
}

export type TaskQueue = ReturnType<typeof createTaskQueue>;

export function createTaskQueue({ log, now, name, concurrency, findDue, findNextDue, run }: TaskQueueDeps) {
  /** Jobs that were passed to better-queue and have not ended, at most `concurrency`. */
  const takenIds = new Set<JobId>();
  let isPaused = false;
  let timer: NodeJS.Timeout | undefined;

  const queue = new BetterQueue<{ id: JobId }, void>({
    concurrent: concurrency,
    store: new MemoryStore(),
    // It always reports success, because better-queue's own retries exist only in memory.
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

  /** Passes jobs that are due and may run now to better-queue, and sets a timer for the next job. */
  function wake(): void {
    if (isPaused || takenIds.size === concurrency) return; // the next job that ends calls this function again
    try {
      // this also finds jobs that were passed on but have not started
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
    /** To be called when a job of the task was stored, or has become due earlier. */
    wake,

    /** Stops passing jobs to better-queue. */
    pause(): void {
      isPaused = true;
      queue.pause();
      clearTimeout(timer);
    },
  };
}
