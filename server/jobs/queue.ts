// One better-queue per task, with workarounds for its bugs. It only runs jobs that are due; retries, results,
// cancellation and time limits are in attempts.ts, since better-queue keeps those in memory.
import BetterQueue from 'better-queue';
import type { JobId } from '../db/ids.ts';
import type { Log } from '../log/log.ts';
import { createQueueStore, type QueueSql, type QueueTask } from './queue-store.ts';

const FAULT_PAUSE_MS = 1_000;
const LONGEST_TIMER_MS = 60_000; // the clock may be set, and the machine may sleep

interface TaskQueueDeps {
  sql: QueueSql;
  log: Log;
  now: () => Date;
  name: string;
  concurrency: number;
  /** Runs one attempt to its end. Called in the tick in which the job was taken, so nothing can come between. */
  run: (id: JobId) => Promise<void>;
}

export type TaskQueue = ReturnType<typeof createTaskQueue>;

export function createTaskQueue({ sql, log, now, name, concurrency, run }: TaskQueueDeps) {
  let closed = false;
  let connected = false;
  let timer: { at: number; handle: NodeJS.Timeout } | undefined;
  let faultTimer: NodeJS.Timeout | undefined;

  const store = createQueueStore({
    sql,
    queue: name,
    now,
    onRest: (nextDue) => {
      if (nextDue !== undefined) arm(nextDue);
    },
    onFault(error) {
      // a failing take stalls the queue until it is resumed
      log.warn({ task: name, err: error }, 'queue could not take a job');
      faultTimer ??= setTimeout(() => {
        faultTimer = undefined;
        wake();
      }, FAULT_PAUSE_MS).unref();
    },
  });

  const queue = new BetterQueue<QueueTask, void>({
    store: {
      ...store,
      connect(cb) {
        if (closed) return cb(null, 0); // it tries for ever otherwise
        store.connect((error, length) => {
          connected = !error;
          cb(error, length);
        });
      },
    },
    id: 'id',
    concurrent: concurrency,
    // Never rejects, because a handler that does would occupy its slot for ever; and always reports success, because
    // better-queue's own retries exist only in memory.
    process: (task: QueueTask, done) => void execute(Number(task.id) as JobId, done),
  });
  queue.on('error', (error) => log.error({ task: name, err: error as unknown }, 'queue'));
  wake();

  async function execute(id: JobId, done: () => void): Promise<void> {
    try {
      await run(id);
    } catch (error) {
      log.error({ task: name, job_id: id, err: error }, 'job could not be run');
    }
    done();
  }

  /** Looks for work in every slot: a single look leaves one idle. */
  function wake(): void {
    if (closed) return;
    for (let slot = 0; slot < concurrency; slot++) queue.resume();
  }

  /** better-queue has no due times: this wakes it when the earliest waiting job is due. */
  function arm(at: number): void {
    if (closed || (timer && timer.at <= at)) return;
    clearTimeout(timer?.handle);
    const wait = Math.min(LONGEST_TIMER_MS, Math.max(0, at - now().getTime()));
    timer = {
      at,
      handle: setTimeout(() => {
        timer = undefined;
        wake();
      }, wait).unref(),
    };
  }

  return {
    wake,

    /** Resolves when the job, new or requeued, is on disk: until its ticket says `queued` it exists only in memory. */
    put(id: JobId, runAt: Date): Promise<void> {
      return new Promise((resolve, reject) => {
        if (closed || !connected) return reject(new Error('The queue is not open.'));
        queue
          .push({ id: String(id), runAt: runAt.getTime() })
          .on('queued', () => resolve())
          .on('failed', (reason) => reject(new Error(`The job could not be stored (${String(reason)}).`)));
      });
    },

    /** Stops taking jobs. */
    pause(): void {
      closed = true;
      queue.pause();
      clearTimeout(timer?.handle);
      clearTimeout(faultTimer);
    },

    /** Closes the store. Only when nothing is being put any more: such a ticket would never answer. */
    close: (): Promise<void> => new Promise((resolve) => queue.destroy(() => resolve())),
  };
}
