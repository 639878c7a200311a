// The thread that copies the database while the server goes on: SQLite's online backup, in steps, from one moment's
// view of it. Whatever is written meanwhile is not in the copy and does not make it begin anew. And the one that looks
// at a copy that came out of a backup.
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { messageOf } from '../errors.ts';
import { FILE_SCHEME, LOCAL_SCHEME } from '../storage/uri.ts';

export type SnapshotWorkerData = { copy: { from: string; to: string } } | { check: string };
export type SnapshotReport =
  | { kind: 'progress'; done: number; total: number }
  | { kind: 'done' }
  | { kind: 'failed'; reason: string; code?: string };

/** 4 MB in SQLite's usual pages; the disk is others' in between. */
const PAGES_PER_STEP = 1_000;
/** Their end belongs to the library that goes on, not to the one that is restored. */
const OWN_TASKS = "('backup_task', 'export_task', 'restore_task')";

const port = parentPort;
if (!port) throw new Error('snapshot-worker runs as a worker thread');
const tell = (report: SnapshotReport): void => port.postMessage(report);

let isStopped = false;
port.on('message', () => {
  isStopped = true;
});

const work = workerData as SnapshotWorkerData;
try {
  if ('check' in work) check(work.check);
  else {
    await copy(work.copy.from, work.copy.to);
    finish(work.copy.to);
  }
  tell({ kind: 'done' });
} catch (error) {
  tell({
    kind: 'failed',
    reason: messageOf(error),
    ...(error instanceof Error && 'code' in error && { code: String(error.code) }),
  });
}
port.close();

async function copy(from: string, to: string): Promise<void> {
  const source = new Database(from, { readonly: true });
  try {
    source.pragma('busy_timeout = 10000');
    source.exec('BEGIN');
    source.prepare('SELECT count(*) FROM sqlite_schema').get(); // from here on this connection sees this moment
    await source.backup(to, {
      progress({ totalPages, remainingPages }) {
        if (isStopped) throw new Error('stopped');
        tell({ kind: 'progress', done: totalPages - remainingPages, total: totalPages });
        return PAGES_PER_STEP;
      },
    });
  } finally {
    source.close();
  }
}

/** One file that stands for itself, and is known to be sound. */
function finish(to: string): void {
  const copied = new Database(to);
  try {
    copied.pragma('journal_mode = DELETE');
    copied.pragma('synchronous = OFF'); // a power cut costs the copy, which is made anew
    const fault = copied.pragma('quick_check(1)', { simple: true });
    if (fault !== 'ok')
      throw new Error(`the library's database is damaged (${String(fault)}); restore it from an earlier snapshot`);
    copied.exec(`UPDATE jobs SET status = 'cancelled', finished_at = created_at WHERE task IN ${OWN_TASKS}
      AND status IN ('queued', 'running', 'waiting');
      DELETE FROM queue_tasks WHERE queue IN ${OWN_TASKS}`);
  } finally {
    copied.close();
  }
}

/** Sound in itself; stored objects are files from now on, wherever they were. */
function check(path: string): void {
  const db = new Database(path);
  try {
    const fault = db.pragma('integrity_check(1)', { simple: true });
    if (fault !== 'ok') throw new Error(String(fault));
    db.exec(`UPDATE tracks SET storage_uri = '${LOCAL_SCHEME}' || substr(storage_uri, instr(storage_uri, ':'))
      WHERE storage_uri NOT LIKE '${LOCAL_SCHEME}:%' AND storage_uri NOT LIKE '${FILE_SCHEME}:%'`);
  } finally {
    db.close();
  }
}
