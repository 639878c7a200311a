// The thread that copies the database for a backup, with SQLite's online backup in steps, inside a read transaction:
// later writes are not in the copy and do not restart it. Also takes what it may of a database from elsewhere.
import Database from 'better-sqlite3';
import { answerQuestions } from '../runtime/answer-questions.ts';
import { FILE_SCHEME, LOCAL_SCHEME } from '../storage/uri.ts';
import { takeLibrary, type ForeignLibrary } from './foreign-library.ts';

export type SnapshotWork =
  | { copy: { from: string; to: string } }
  | { take: ForeignLibrary }
  /** `files`: the database of export-paths.ts. */
  | { clean: { path: string; files: string } };
export interface SnapshotProgress {
  done: number;
  total: number;
}

/** 4 MB; requests use the disk between steps. */
const PAGES_PER_STEP = 1_000;
/** Unfinished jobs of these are cancelled in the copy: they must not run again in a restored library. */
const OWN_TASKS = "('backup_task', 'check_backup', 'export_task', 'restore_task')";

let isStopped = false;

answerQuestions<SnapshotWork, null, SnapshotProgress>(
  async (work, tell) => {
    if ('take' in work) takeLibrary(work.take);
    else if ('clean' in work) clean(work.clean);
    else {
      await copy(work.copy.from, work.copy.to, tell);
      finish(work.copy.to);
    }
    return null;
  },
  { onEnd: () => (isStopped = true) },
);

async function copy(from: string, to: string, tell: (progress: SnapshotProgress) => void): Promise<void> {
  const source = new Database(from, { readonly: true });
  try {
    source.pragma('busy_timeout = 10000');
    source.exec('BEGIN');
    source.prepare('SELECT count(*) FROM sqlite_schema').get(); // the read transaction starts with the first read
    await source.backup(to, {
      progress({ totalPages, remainingPages }) {
        if (isStopped) throw new Error('stopped');
        tell({ done: totalPages - remainingPages, total: totalPages });
        return PAGES_PER_STEP;
      },
    });
  } finally {
    source.close();
  }
}

/** Makes the copy a single file without a WAL, and checks it. */
function finish(to: string): void {
  const copied = new Database(to);
  try {
    copied.pragma('journal_mode = DELETE');
    copied.pragma('synchronous = OFF'); // after a power cut the copy is made again
    const fault = copied.pragma('quick_check(1)', { simple: true });
    if (fault !== 'ok')
      throw new Error(`the library's database is damaged (${String(fault)}); restore it from an earlier snapshot`);
    copied.exec(`UPDATE jobs SET status = 'cancelled', finished_at = created_at WHERE task IN ${OWN_TASKS}
      AND status IN ('queued', 'running', 'waiting')`);
  } finally {
    copied.close();
  }
}

/**
 * Prepares a copy for an export: without anything that gives access to an account, as a library of its own, and with
 * files of music folders as stored ones.
 */
function clean({ path, files }: { path: string; files: string }): void {
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
    db.exec('VACUUM'); // what was deleted is in no free page either
  } finally {
    db.close();
  }
}
