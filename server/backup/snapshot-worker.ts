// The thread that copies the database for a backup, with SQLite's online backup in steps, inside a read transaction:
// later writes are not in the copy and do not restart the copying. It also makes checked copies of foreign databases.
import Database from 'better-sqlite3';
import { answerQuestions } from '../runtime/answer-questions.ts';
import { FILE_SCHEME, LOCAL_SCHEME } from '../storage/uri.ts';
import { copyForeignLibrary, type ForeignLibrary } from './foreign-library.ts';

export type SnapshotWork =
  | { copy: { from: string; to: string } }
  | { take: ForeignLibrary }
  /** `files` is the path of the database of export-paths.ts. */
  | { clean: { path: string; files: string } };
export interface SnapshotProgress {
  done: number;
  total: number;
}

/** Pages per step, which are 4 MB. Between steps, requests can use the disk. */
const PAGES_PER_STEP = 1_000;
/** Unfinished jobs of these tasks are cancelled in the copy: they must not run again in a restored library. */
const OWN_TASKS = "('backup_task', 'check_backup', 'export_task', 'restore_task')";

let isStopped = false;

answerQuestions<SnapshotWork, null, SnapshotProgress>(
  async (work, onProgress) => {
    if ('take' in work) copyForeignLibrary(work.take);
    else if ('clean' in work) cleanDatabase(work.clean);
    else {
      await copyDatabase(work.copy.from, work.copy.to, onProgress);
      finishCopy(work.copy.to);
    }
    return null;
  },
  { onEnd: () => (isStopped = true) },
);

async function copyDatabase(from: string, to: string, onProgress: (progress: SnapshotProgress) => void): Promise<void> {
  const source = new Database(from, { readonly: true });
  try {
    source.pragma('busy_timeout = 10000');
    source.exec('BEGIN');
    // BEGIN alone does not start the read transaction, the first read does
    source.prepare('SELECT count(*) FROM sqlite_schema').get();
    await source.backup(to, {
      progress({ totalPages, remainingPages }) {
        if (isStopped) throw new Error('stopped');
        onProgress({ done: totalPages - remainingPages, total: totalPages });
        return PAGES_PER_STEP;
      },
    });
  } finally {
    source.close();
  }
}

/** Makes the copy a single file without a WAL, and checks it. */
function finishCopy(path: string): void {
  const db = new Database(path);
  try {
    db.pragma('journal_mode = DELETE');
    db.pragma('synchronous = OFF'); // no syncing is needed: after a power cut the copy is made again
    const fault = db.pragma('quick_check(1)', { simple: true });
    if (fault !== 'ok')
      throw new Error(`the library's database is damaged (${String(fault)}); restore it from an earlier snapshot`);
    db.exec(`UPDATE jobs SET status = 'cancelled', finished_at = created_at WHERE task IN ${OWN_TASKS}
      AND status IN ('queued', 'running', 'waiting')`);
  } finally {
    db.close();
  }
}

/**
 * Prepares a copy of the database for an export: removes everything that gives access to an account, gives the library
 * a new identity, and turns files of music folders into stored ones.
 */
function cleanDatabase({ path, files }: { path: string; files: string }): void {
  const db = new Database(path);
  try {
    db.pragma('synchronous = OFF');
    db.prepare('ATTACH ? AS exported').run(files);
    db.transaction(() => {
      db.exec(`UPDATE users SET password_hash = '';
        DELETE FROM sessions;
        DELETE FROM app_passwords;
        DELETE FROM scrobble_accounts;
        DELETE FROM library_identity`);
      for (const table of ['tracks', 'trashed_tracks'])
        db.exec(`UPDATE ${table} SET storage_uri = '${LOCAL_SCHEME}:' || f.key, content_hash = f.hash
          FROM exported.files f WHERE ${table}.storage_uri LIKE '${FILE_SCHEME}:%'
          AND f.ref = 'own:' || substr(${table}.storage_uri, ${FILE_SCHEME.length + 2})`);
      db.exec(`UPDATE tracks SET availability = 'missing'
        WHERE storage_uri LIKE '${FILE_SCHEME}:%' AND availability <> 'missing'`);
    })();
    db.exec('DETACH exported');
    db.exec('VACUUM'); // VACUUM removes deleted rows from free pages
  } finally {
    db.close();
  }
}
