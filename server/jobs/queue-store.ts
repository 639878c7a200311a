// better-queue's store, on `queue_tasks`. A row is a job that still has to run; without a lock it is waiting. Prepared
// SQL, because the queue asks several times per job.
import { randomUUID } from 'node:crypto';
import type BetterQueue from 'better-queue';
import type { Sqlite } from '../db/client.ts';
import type { RowOf } from '../db/rows.ts';
import type { queueTasks } from '../db/schema.ts';

/** What better-queue passes around. The payload is in the job's row. */
export interface QueueTask {
  /** The job's id. */
  id: string;
  /** Earliest start, in ms. */
  runAt: number;
}

interface QueueStore extends BetterQueue.Store<QueueTask> {
  getRunningTasks(cb: (error: unknown, running: Record<string, never>) => void): void;
  close(cb: () => void): void;
}

export type QueueSql = ReturnType<typeof prepareQueueSql>;

interface StoreDeps {
  /** Of `prepareQueueSql`; all queues share them. */
  sql: QueueSql;
  /** Name of the queue, which is the task's name. */
  queue: string;
  now: () => Date;
  /** Nothing is due. `nextDue` is when the next waiting job will be, in ms; undefined when none waits. */
  onRest: (nextDue: number | undefined) => void;
  /** Taking failed; better-queue stalls until it is resumed. */
  onFault: (error: unknown) => void;
}

export function createQueueStore({ sql, queue, now, onRest, onFault }: StoreDeps): QueueStore {
  const locked = new Map<string, Record<string, QueueTask>>();

  return {
    connect: answer(() => {
      // Locks of an earlier process are released here and not through getRunningTasks, which would start all of them at
      // once.
      sql.unlockAll.run(queue);
      return sql.count.get(queue) as number;
    }),
    getRunningTasks: (cb) => cb(null, {}),
    // Locked rows are hidden, so that a job that requeues itself counts as new, which better-queue's length requires.
    getTask: (id: string, cb) => answer(() => toTask(sql.find.get(queue, id)) as QueueTask)(cb),
    putTask: (id: string, task, _priority, cb) =>
      answer(() => void sql.put.run(id, queue, JSON.stringify(task), task.runAt))(cb),
    deleteTask: (id: string, cb) => answer(() => void sql.remove.run(queue, id))(() => cb()),
    takeFirstN: (n, cb) =>
      answer(() => {
        const lock = randomUUID();
        const time = now().getTime();
        const rows = sql.take.all(lock, queue, time, n);
        if (rows.length === 0) {
          // better-queue asks again after the next arrival or end
          onRest(sql.nextDue.get(queue, time) as number | undefined);
          return undefined as unknown as string;
        }
        locked.set(lock, Object.fromEntries(rows.map((row) => [row.id, { id: row.id, runAt: row.run_at }])));
        return lock;
      }, onFault)(cb),
    takeLastN: (_n, cb) => cb(new Error('This queue is first in, first out.'), ''),
    // from memory: a query could fail and leave the rows locked
    getLock: (lock, cb) => cb(null, locked.get(lock) ?? {}),
    releaseLock: (lock, cb) =>
      answer(() => {
        // a requeued row no longer has this lock, and stays
        sql.release.run(queue, lock);
        locked.delete(lock);
      })(cb),
    close: (cb) => cb(), // the connection is the app's
  };
}

type TaskRow = RowOf<typeof queueTasks, 'id' | 'runAt'>;

const toTask = (row: unknown): QueueTask | undefined => {
  const found = row as TaskRow | undefined;
  return found && { id: found.id, runAt: found.run_at };
};

/** Runs `work` at once and hands its value or its error to a callback. */
const answer =
  <T>(work: () => T, onError?: (error: unknown) => void) =>
  (cb: (error: unknown, value: T) => void): void => {
    let value: T;
    try {
      value = work();
    } catch (error) {
      onError?.(error);
      return cb(error, undefined as T);
    }
    cb(null, value);
  };

// `priority = 0` throughout: no task declares one, and naming it lets the index give the rows in order.
export function prepareQueueSql(client: Sqlite) {
  return {
    unlockAll: client.prepare('UPDATE queue_tasks SET lock = NULL WHERE queue = ? AND lock IS NOT NULL'),
    count: client.prepare('SELECT count(*) FROM queue_tasks WHERE queue = ?').pluck(),
    find: client.prepare('SELECT id, run_at FROM queue_tasks WHERE queue = ? AND id = ? AND lock IS NULL'),
    put: client.prepare(`INSERT INTO queue_tasks (id, queue, task, run_at) VALUES (?, ?, ?, ?)
      ON CONFLICT (queue, id) DO UPDATE SET task = excluded.task, run_at = excluded.run_at, lock = NULL`),
    remove: client.prepare('DELETE FROM queue_tasks WHERE queue = ? AND id = ?'),
    take: client.prepare<[string, string, number, number], TaskRow>(`UPDATE queue_tasks SET lock = ? WHERE seq IN (
      SELECT seq FROM queue_tasks WHERE queue = ? AND lock IS NULL AND priority = 0 AND run_at <= ?
      ORDER BY run_at, seq LIMIT ?)
      RETURNING id, run_at`),
    release: client.prepare('DELETE FROM queue_tasks WHERE queue = ? AND lock = ?'),
    nextDue: client
      .prepare(`SELECT run_at FROM queue_tasks
      WHERE queue = ? AND lock IS NULL AND priority = 0 AND run_at > ? ORDER BY run_at LIMIT 1`)
      .pluck(),
  };
}
